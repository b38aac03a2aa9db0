// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the commands of this folder read of profiles.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "report/command_line.h"
#include "report/input.h"
#include "report/section.h"
#include "report/sections/locality/records.h"

namespace memspy::report::locality {

class LocalityReport : public Catalog {
public:
    void record(const AnyRecord& record) override {
        if (const auto* model = record.as<Model>()) model_ = *model;
        if (const auto* stream = record.as<Stream>()) streams_.push_back(*stream);
        if (const auto* zone = record.as<Zone>()) zones_.push_back(*zone);
        if (const auto* map = record.as<AccessMap>()) maps_.push_back(*map);
    }
    // False where a file is cut short. Throws UsageError where there is nothing of locality.
    bool read(Inputs& inputs, const std::vector<std::string>& files) {
        const bool whole = inputs.read_profiles(files, *this);
        for (const Stream& stream : streams_) {
            if (stream.kind == "line" && is_own_line(stream)) own_functions_.insert(stream.within);
            const Object* const object = stream.declared_file.empty() ? nullptr : find_object(stream.object);
            if (object != nullptr) declaring_.insert(object->module);
        }
        if (!model_)
            throw UsageError(files[0] +
                             " has nothing of locality: run the program with --locality=yes or exact");
        return whole;
    }

    // Of the program's own: its variables and blocks, its source lines, and functions with such lines; all
    // that is of none of these is.
    bool is_own(const Stream& stream) const {
        if (stream.object != ObjectId{}) return is_own_object(stream);
        if (stream.kind == "line") return is_own_line(stream);
        return stream.function.empty() || own_functions_.contains(stream.function);
    }
    // Those that its source declares come first: not a compiler's, in a program with debug information.
    int place(const Stream& stream) const { return is_own(stream) ? is_undeclared(stream) : 2; }
    const Model& model() const { return *model_; }
    const std::vector<Stream>& streams() const { return streams_; }
    const std::vector<Zone>& zones() const { return zones_; }
    const std::vector<AccessMap>& maps() const { return maps_; }

private:
    bool is_own_line(const Stream& line) const {
        return !line.file.empty() &&
               Catalog::may_change(std::string(line.folder) + "/" + std::string(line.file));
    }
    bool is_own_object(const Stream& stream) const {
        const Object* const object = find_object(stream.object);
        if (object == nullptr || !Catalog::may_change(stream.object)) return false;
        switch (object->kind) {
            case ObjectKind::Heap: return is_own_allocation(object->stack);
            case ObjectKind::Static: return !object->symbol.empty();
            case ObjectKind::Unknown: return stream.named;
            case ObjectKind::Frames: return !object->variable.empty();
        }
        return false;
    }
    bool is_undeclared(const Stream& stream) const {
        const Object* const object = find_object(stream.object);
        return object != nullptr && object->kind == ObjectKind::Static && stream.declared_file.empty() &&
               declaring_.contains(object->module);
    }
    // Code of the program's own asked for the block, or a library's that is compiled into it.
    bool is_own_allocation(StackId stack) const {
        const auto frames = frames_of(stack);
        for (std::size_t i = 1; i < frames.size(); ++i) {
            const Frame& at = frame(frames[i]);
            if (Catalog::may_change(at)) return true;
            const Module* const module = find_module(at.module);
            if (module == nullptr || is_of_system(std::string(module->path))) return false;
        }
        return false;
    }
    std::set<Text> own_functions_;
    std::set<ModuleId> declaring_;  // modules with variables that a source declares
    std::optional<Model> model_;
    std::vector<Stream> streams_;
    std::vector<Zone> zones_;
    std::vector<AccessMap> maps_;
};

}  // namespace memspy::report::locality

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/comparison.h"

namespace memspy::report {

LastingName lasting_name(const Frame& frame) {
    const std::string file = frame.file.empty() ? "" : " (" + std::string(base_name(frame.file)) + ")";
    if (frame.fn.empty()) return {"(no name)" + file, "(no name)" + file};
    return {std::string(frame.fn) + file, bare_function(frame.fn) + file};
}

static std::string key_of(const Catalog& catalog, const Object& object) {
    switch (object.kind) {
        case ObjectKind::Heap: {
            const Frame* const site = catalog.site(object.stack, Catalog::SiteOf::Allocation);
            return "heap block" + (site != nullptr ? " of " + lasting_name(*site).key : std::string());
        }
        case ObjectKind::Static: return std::string(object.name);
        case ObjectKind::Frames:
            if (!object.variable.empty())
                return std::string(object.variable) + " of " + std::string(object.name);
            return "stack" + (object.name.empty() ? "" : " in " + std::string(object.name));
        case ObjectKind::Unknown: break;
    }
    // `thread-local storage of thread 4`: which one it was changes.
    return std::string(object.name.substr(0, object.name.find(" of thread ")));
}

LastingName lasting_name(const Catalog& catalog, ObjectId id) {
    const Object* const object = catalog.find_object(id);
    if (object == nullptr) return {"(not known)", "(not known)"};
    std::string key = key_of(catalog, *object);
    std::string label = object->kind == ObjectKind::Heap ? catalog.label(*object) : key;
    return {std::move(key), std::move(label)};
}

LastingName lasting_name(const Catalog& catalog, StackId stack) {
    if (catalog.frames_of(stack).empty()) return {"(not known)", "(not known)"};
    return lasting_name(catalog.frame(catalog.own_frame(stack)));
}

FigurePlace place_of(const Catalog& catalog, StackId stack) {
    if (catalog.frames_of(stack).empty()) return {};
    const Frame& frame = catalog.frame(catalog.own_frame(stack));
    const Module* const module = catalog.find_module(frame.module);
    return {module == nullptr ? std::string() : std::string(module->path), std::string(frame.fn),
            std::string(frame.dir), std::string(frame.file), frame.line};
}

}  // namespace memspy::report

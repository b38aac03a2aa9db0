// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/source_names.h"

#include <algorithm>
#include <charconv>

#include "report/names/layout.h"
#include "report/own_code.h"

namespace memspy::report {

SourceNames::SourceNames(names::NameOptions options, StringPool& strings)
    : names_(std::move(options)), strings_(strings) {}

void SourceNames::add(const Module& module) {
    modules_[static_cast<u32>(module.id)] = {std::string(module.path), std::string(module.build_id)};
}

const names::Module* SourceNames::find(ModuleId id) const {
    const auto found = modules_.find(static_cast<u32>(id));
    return found == modules_.end() ? nullptr : &found->second;
}

std::string SourceNames::status(ModuleId id) {
    const names::Module* module = find(id);
    if (module == nullptr) return "not in the profile";
    const names::DebugInfoStatus& status = names_.status(*module);
    return status.problem.empty() ? "ok" : status.problem;
}

std::vector<std::string> SourceNames::incomplete() {
    std::vector<std::string> lines;
    for (const auto& [id, module] : modules_)
        for (const std::string& part : names_.status(module).incomplete)
            lines.push_back(module.path + ": " + part);
    // A module that was loaded twice has two ids.
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

const std::vector<Frame>& SourceNames::frames_at(const Frame& frame) {
    const u64 key = frame.offset.value ^ (u64{static_cast<u32>(frame.module)} << 48);
    auto [place, is_new] = frames_.try_emplace(key);
    const names::Module* module = find(frame.module);
    if (!is_new || module == nullptr) return place->second;
    for (const names::SourceFrame& found : names_.frames(*module, frame.offset.value)) {
        Frame made = frame;
        made.fn = strings_.intern(found.function);
        made.dir = strings_.intern(found.source.dir);
        made.file = strings_.intern(found.source.file);
        made.line = found.source.line;
        made.inlined = found.inlined;
        place->second.push_back(made);
    }
    return place->second;
}

// As the run's texts write it: "(heap.cc:31)".
static std::string place_of(const Frame& frame) {
    return "(" + std::string(frame.file) + ":" + std::to_string(frame.line) + ")";
}

// The addresses in a stack, by which it is known. Functions inlined at an address are not told apart, since
// not each reader of debug information sees them.
static void add_call(std::vector<u64>& calls, u64 address) {
    if (calls.empty() || calls.back() != address) calls.push_back(address);
}
static std::vector<u64> calls_of(const Stack& stack) {
    std::vector<u64> calls;
    for (const Frame& frame : stack.frames) add_call(calls, frame.ip.value);
    return calls;
}
static std::vector<u64> calls_of(const std::vector<ErrorFrame>& stack) {
    std::vector<u64> calls;
    for (const ErrorFrame& frame : stack) {
        u64 address = 0;
        const Text digits = frame.ip.substr(std::min<std::size_t>(frame.ip.size(), 2));  // behind "0x"
        std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
        add_call(calls, address);
    }
    return calls;
}

Stack SourceNames::completed(const Stack& stack) {
    std::vector<CallPlace>& calls = calls_[static_cast<u32>(stack.id)];
    stack_calls_[static_cast<u32>(stack.id)] = calls_of(stack);
    for (const Frame& frame : stack.frames)
        if (!frame.inlined && calls.size() < BlockAccesses::kMostCalls)
            calls.push_back({frame.module, frame.offset.value});
    Stack result;
    result.id = stack.id;
    result.processes = stack.processes;
    for (std::size_t i = 0; i < stack.frames.size();) {
        // A call and the functions inlined around it.
        std::size_t end = i;
        bool has_source = true;
        do {
            has_source = has_source && !stack.frames[end].file.empty();
        } while (stack.frames[end++].inlined && end < stack.frames.size());
        const Frame& outermost = stack.frames[end - 1];
        const bool is_placed = outermost.module != ModuleId{} && outermost.offset != kNoAddress;
        // Where the run saw only a line of the C++ library, functions inlined there may lead to the
        // program's.
        const bool may_be_inlined = end == i + 1 && has_source && is_of_system(source_file(outermost));
        const std::vector<Frame>* found =
            (!has_source || may_be_inlined) && is_placed ? &frames_at(outermost) : nullptr;
        if (found != nullptr && !found->empty() && !found->front().file.empty() &&
            (!has_source || found->size() > 1)) {
            const std::size_t first = result.frames.size();
            result.frames.insert(result.frames.end(), found->begin(), found->end());
            for (std::size_t k = first; k < result.frames.size(); ++k) result.frames[k].ip = outermost.ip;
            if (result.frames.back().fn.empty()) result.frames.back().fn = outermost.fn;
            if (has_source)
                moved_[static_cast<u32>(stack.id)].push_back({place_of(outermost), place_of(found->back())});
        } else {
            result.frames.insert(result.frames.end(), stack.frames.begin() + static_cast<std::ptrdiff_t>(i),
                                 stack.frames.begin() + static_cast<std::ptrdiff_t>(end));
        }
        i = end;
    }
    return result;
}

Object SourceNames::completed(const Object& object) {
    Object result = object;
    if (object.kind == ObjectKind::Static && !object.symbol.empty())
        named_[static_cast<u32>(object.id)] = object;
    if (const names::Module* const module = find(object.module);
        object.kind == ObjectKind::Frames && !object.variable.empty() && module != nullptr) {
        if (auto found = names_.frame_variable(*module, object.offset.value, std::string(object.variable),
                                               object.line)) {
            frame_variables_[static_cast<u32>(object.id)] = *found;
            named_[static_cast<u32>(object.id)] = object;
        }
    }
    if (object.kind == ObjectKind::Heap) allocations_[static_cast<u32>(object.id)] = object.stack;
    const auto calls = calls_.find(static_cast<u32>(object.stack));
    if (object.kind != ObjectKind::Heap || calls == calls_.end()) return result;
    names::BlockQuestion question{{}, object.size, object.by == "new[]", {}};
    for (const CallPlace& call : calls->second) {
        const names::Module* module = find(call.module);
        if (module == nullptr) break;
        question.allocation.push_back({*module, call.offset});
    }
    // Most accesses are by few instructions.
    constexpr std::size_t kMostAccesses = 64;
    question.accesses = accesses_.of(question.allocation, kMostAccesses);
    if (const auto type = names_.block_type(question)) {
        std::string name = type->name;
        if (type->count > 1) name += object.blocks > 1 ? "[]" : "[" + std::to_string(type->count) + "]";
        result.name = strings_.intern(name);
        // One block of each process.
        if (object.blocks <= std::max<u64>(1, object.processes))
            result.symbol = strings_.intern(type->variable);
        block_types_[static_cast<u32>(object.id)] = *type;
        named_[static_cast<u32>(object.id)] = result;
    }
    return result;
}

Text SourceNames::type_from(const Object& object) const {
    const auto block = block_types_.find(static_cast<u32>(object.id));
    if (block == block_types_.end()) return {};
    return block->second.by_accesses ? "accesses" : "allocation";
}

std::string SourceNames::types_found() const {
    if (block_types_.empty()) return {};
    const auto by_accesses = static_cast<u64>(std::count_if(
        block_types_.begin(), block_types_.end(), [](const auto& each) { return each.second.by_accesses; }));
    return "Types of heap blocks: " + std::to_string(block_types_.size() - by_accesses) +
           " by what the allocation goes to, " + std::to_string(by_accesses) +
           " by the code that accesses them";
}

StackId SourceNames::allocation(ObjectId id) const {
    const auto found = allocations_.find(static_cast<u32>(id));
    return found == allocations_.end() ? StackId{} : found->second;
}

std::optional<BlockName> SourceNames::block_name(ObjectId id) const {
    const auto type = block_types_.find(static_cast<u32>(id));
    const auto named = named_.find(static_cast<u32>(id));
    if (type == block_types_.end() || named == named_.end()) return std::nullopt;
    return BlockName{named->second.name, named->second.symbol,     type->second.name,
                     type->second.size,  named->second.blocks > 1, type->second.first};
}

// Where no variable is known, the type tells whose fields they are.
std::string SourceNames::field_words(ObjectId id, u64 first, u64 bytes) {
    constexpr std::size_t kMostFields = 4;
    const std::vector<std::string> touched = names::own_paths(fields(id, first, bytes));
    if (touched.empty() || touched.size() > kMostFields) return {};
    const std::optional<BlockName> block = block_name(id);
    std::string words;
    for (std::size_t i = 0; i < touched.size(); ++i) {
        words += i == 0 ? "" : i + 1 == touched.size() ? " and " : ", ";
        if (block && !block->variable.empty())
            words += std::string(block->variable) + (touched[i].starts_with('[') ? "" : "->");
        words += touched[i];
    }
    if (block && block->variable.empty()) words += " of " + std::string(block->label);
    return words;
}

Text SourceNames::moved(ObjectId id, Text place) {
    const auto moves = moved_.find(static_cast<u32>(allocation(id)));
    if (moves == moved_.end()) return place;
    for (const auto& [from, to] : moves->second)
        if (place.ends_with(from))
            return strings_.intern(std::string(place.substr(0, place.size() - from.size())) + to);
    return place;
}

void SourceNames::note_finding(KnownFinding finding) { findings_.push_back(std::move(finding)); }

// Its error has its kind, begins where one of its threads was, and shows where its blocks were allocated.
// Where that is so of several findings, it shows the stacks of all threads of the right one.
Error SourceNames::completed(const Error& error) {
    std::vector<std::vector<u64>> shown;
    for (const ErrorPart& part : error.parts) shown.push_back(calls_of(part.stack));
    const auto is_at = [&](StackId stack, std::size_t part) {
        const auto calls = stack_calls_.find(static_cast<u32>(stack));
        return calls != stack_calls_.end() && calls->second == shown[part];
    };
    const auto shows = [&](StackId stack) {
        std::size_t part = 0;
        while (part < shown.size() && !is_at(stack, part)) ++part;
        return part < shown.size();
    };
    const KnownFinding* found = nullptr;
    std::size_t candidates = 0, exact = 0;
    for (const KnownFinding& each : findings_) {
        const auto begins = [&](StackId stack) { return is_at(stack, 0); };
        if (each.kind != error.kind || std::none_of(each.sides.begin(), each.sides.end(), begins) ||
            !std::all_of(each.allocations.begin(), each.allocations.end(), shows))
            continue;
        const bool all = std::all_of(each.sides.begin(), each.sides.end(), shows);
        if (all || exact == 0) found = &each;
        ++candidates;
        exact += all ? 1 : 0;
    }
    if (exact > 1 || (exact == 0 && candidates > 1)) return error;  // it may be the one or the other
    if (found == nullptr) return error;
    Error named = error;
    named.first_what = error.what;
    named.what = found->what;
    named.remedies = found->remedies;
    if (!found->advice.empty() && named.parts.size() > 1) named.parts.back().text = found->advice;
    return named;
}

std::optional<names::Variable> SourceNames::variable(const Object& object) {
    if (const auto found = frame_variables_.find(static_cast<u32>(object.id));
        object.kind == ObjectKind::Frames && found != frame_variables_.end())
        return names::Variable{found->second.variable, found->second.name, 0, found->second.size,
                               found->second.declared};
    const names::Module* module = find(object.module);
    if (object.kind != ObjectKind::Static || module == nullptr || object.symbol.empty()) return std::nullopt;
    return names_.variable(*module, object.offset.value);
}

// The type of a block, or of a variable on a stack; null if it is not known.
const names::BlockType* SourceNames::type_of(const Object& object) const {
    const auto id = static_cast<u32>(object.id);
    if (object.kind == ObjectKind::Frames) {
        const auto found = frame_variables_.find(id);
        return found == frame_variables_.end() ? nullptr : &found->second;
    }
    const auto found = block_types_.find(id);
    return object.kind != ObjectKind::Heap || found == block_types_.end() ? nullptr : &found->second;
}

std::vector<names::MemberPath> SourceNames::fields(const Object& object, u64 offset, u64 bytes) {
    const names::Module* module = find(object.module);
    const names::BlockType* const type = type_of(object);
    if (type == nullptr && (object.kind != ObjectKind::Static || module == nullptr)) return {};
    const u64 start = type != nullptr ? 0 : object.offset.value;
    const u64 begin = start + offset, end = begin + bytes;
    std::vector<names::MemberPath> fields =
        type != nullptr ? names_.block_fields(*type, begin, end) : names_.fields(*module, begin, end);
    for (names::MemberPath& field : fields) {
        const u64 first = std::max(field.address, begin);
        field.size = std::min(field.address + field.size, end) - first;
        field.address = first - start;
    }
    return fields;
}

std::vector<names::MemberPath> SourceNames::fields(ObjectId object, u64 offset, u64 bytes) {
    const auto named = named_.find(static_cast<u32>(object));
    return named == named_.end() ? std::vector<names::MemberPath>() : fields(named->second, offset, bytes);
}

std::string SourceNames::part(const Object& object, u64 offset, u64 bytes) {
    if (object.kind == ObjectKind::Heap || object.kind == ObjectKind::Frames) {
        const std::vector<names::MemberPath> found = fields(object, offset, bytes);
        return found.size() == 1 ? found[0].path : std::string();
    }
    const names::Module* module = find(object.module);
    if (object.kind != ObjectKind::Static || module == nullptr) return {};
    const auto part = names_.part(*module, object.offset.value + offset, bytes);
    return part ? part->path + (part->padding ? " (padding)" : "") : std::string();
}

std::vector<std::string> words_of_list(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(':'), list.size());
        if (end > 0) words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

}  // namespace memspy::report

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/words.h"

#include "analyses/locality/names.h"
#include "places/block_types.h"
#include "places/names.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/prefix.h"
#include "vg/vg.h"

namespace memspy::locality {
namespace {

const char* base_name(const char* path) {
    const char* slash = VG_(strrchr)(path, '/');
    return slash == nullptr ? path : slash + 1;
}

void add_line_name(rt::Text& text, u32 line) {
    if (line == 0) return void(text.add("(no line known)"));
    const LineName& name = line_name(line);
    text.add(name.file).add(':').add_plain(name.line);
}

void add_thread_name(rt::Text& text, u32 thread) { text.add("thread ").add_plain(thread); }

}  // namespace

const char* word(StreamKind kind) {
    switch (kind) {
        case StreamKind::All: return "all";
        case StreamKind::Variables: return "variables";
        case StreamKind::Thread: return "thread";
        case StreamKind::Object: return "object";
        case StreamKind::Block: return "block";
        case StreamKind::BlockThread: return "block-thread";
        case StreamKind::Function: return "function";
        case StreamKind::Line: return "line";
        case StreamKind::ObjectThread: return "object-thread";
        case StreamKind::ObjectFunction: return "object-function";
        case StreamKind::FunctionThread: return "function-thread";
    }
    return "all";
}

advice::AdviceItem named_object(u32 id, rt::Text& name, rt::Text& variable, rt::Text& origin) {
    advice::AdviceItem item{.object = id};
    if (id == 0) {
        item.name = "(not known)";
        return item;
    }
    const places::Object& object = places::object(static_cast<places::ObjectId>(id));
    item.block = object.kind == places::Object::StorageKind::Heap;
    if (!item.block) {
        places::add_object_name(name, object);
        item.name = name.c_str();
        return item;
    }
    item.several = object.blocks > 1;
    if (places::add_owner(variable, object.allocated)) item.variable = variable.c_str();
    places::describe_allocation(origin, object.allocated);
    if (origin.empty()) origin.add("unknown code");
    item.origin = origin.c_str();
    return item;
}

void add_object_name(rt::Text& text, u32 id) {
    rt::Text name, variable, origin;
    advice::AdviceItem item = named_object(id, name, variable, origin);
    constexpr const char* kArticle = "the ";  // not in tables
    if (!item.block && rt::starts_with(item.name, kArticle)) item.name += VG_(strlen)(kArticle);
    advice::add_bare_name(text, item);
}

// "rows[2]"; "heap block 3 of main (sort.c:8)" where no variable holds it.
static void add_block_name(rt::Text& text, u32 id) {
    const places::Object& block = places::object(static_cast<places::ObjectId>(id));
    if (places::add_element_of_block(text, block)) return;
    rt::Text name, variable, origin;
    advice::AdviceItem item = named_object(id, name, variable, origin);
    item.several = false;
    if (item.variable == nullptr || item.variable[0] == '\0') {
        text.add("heap block ").add_plain(block.number).add(" of ").add(item.origin);
        return;
    }
    text.add("block ").add_plain(block.number).add(" of ").add(item.variable).add(", ").add(item.origin);
}

void add_function_name(rt::Text& text, u32 function) {
    const FunctionName& name = function_name(function);
    if (name.name != nullptr) return void(text.add(name.name));
    text.add("(no name");
    if (name.module != nullptr) text.add(", in ").add(base_name(name.module));
    text.add(')');
}

void add_name(rt::Text& text, const Stream& stream) {
    switch (stream.kind) {
        case StreamKind::All: text.add("all"); break;
        case StreamKind::Variables: text.add("all variables"); break;
        case StreamKind::Block: add_block_name(text, stream.first); break;
        case StreamKind::BlockThread:
            add_block_name(text, stream.first);
            text.add(", ");
            add_thread_name(text, stream.second);
            break;
        case StreamKind::Thread: add_thread_name(text, stream.first); break;
        case StreamKind::Object: add_object_name(text, stream.first); break;
        case StreamKind::Function: add_function_name(text, stream.first); break;
        case StreamKind::Line: add_line_name(text, stream.first); break;
        case StreamKind::ObjectThread:
            add_object_name(text, stream.first);
            text.add(", ");
            add_thread_name(text, stream.second);
            break;
        case StreamKind::ObjectFunction:
            add_object_name(text, stream.first);
            text.add(", ");
            add_function_name(text, stream.second);
            break;
        case StreamKind::FunctionThread:
            add_function_name(text, stream.first);
            text.add(", ");
            add_thread_name(text, stream.second);
            break;
    }
}

}  // namespace memspy::locality

// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/xml_stream.h"

#include <fcntl.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

namespace memspy::report {
namespace {

// Profiles and error files have six levels.
constexpr int kMaxDepth = 64;
constexpr std::size_t kChunk = 64 * 1024;
// The parser's own words would be of the half tag at the end.
constexpr char kCutOff[] =
    "the file is cut off here, because the disk was full or the run was killed or goes on; run it again for "
    "the rest";

std::string_view view(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

void say_nothing(void*, const char*, ...) {}

struct FreeContext {
    void operator()(xmlParserCtxt* context) const {
        if (context->myDoc != nullptr) xmlFreeDoc(context->myDoc);
        xmlFreeParserCtxt(context);
    }
};

// Passes one document from libxml2's parser to the sink. Exceptions cannot pass through libxml2, which is C:
// they are kept in `failure_` until the parser has returned.
class Parser {
public:
    Parser(const std::string& name, XmlSink& sink) : name_(name), sink_(sink) {
        // Errors that bypass the handler would be printed.
        xmlSetGenericErrorFunc(nullptr, say_nothing);
        xmlSAXHandler handler{};
        handler.initialized = XML_SAX2_MAGIC;
        handler.startElementNs = [](void* self, const xmlChar* element, const xmlChar*, const xmlChar*, int,
                                    const xmlChar**, int count, int, const xmlChar** attributes) {
            of(self).guarded([&](Parser& parser) { parser.start(element, count, attributes); });
        };
        handler.endElementNs = [](void* self, const xmlChar* element, const xmlChar*, const xmlChar*) {
            of(self).guarded([&](Parser& parser) {
                parser.complete_ = --parser.depth_ == 0;
                parser.sink_.end(view(element));
            });
        };
        handler.characters = [](void* self, const xmlChar* text, int length) {
            of(self).guarded([&](Parser& parser) {
                parser.sink_.text({reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
            });
        };
        handler.cdataBlock = handler.characters;
        handler.internalSubset = [](void* self, const xmlChar*, const xmlChar*, const xmlChar*) {
            of(self).guarded(
                [](Parser&) { throw BadElement("a document type: no file of memspy's has one"); });
        };
        // The handler's parameter is const in later versions of libxml2.
        handler.serror = [](void* self, auto* error) {
            of(self).note(error->line, error->message, error->level);
        };
        context_.reset(xmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr));
        if (!context_) throw std::bad_alloc();
        xmlCtxtUseOptions(context_.get(), XML_PARSE_NONET | XML_PARSE_COMPACT);
    }

    void feed(std::string_view bytes, bool last) {
        xmlParseChunk(context_.get(), bytes.data(), static_cast<int>(bytes.size()), last ? 1 : 0);
        if (failure_) std::rethrow_exception(failure_);
        const bool is_cut = last && depth_ > 0;
        if (!complaint_.empty()) throw InputError(name_, complaint_line_, is_cut ? kCutOff : complaint_);
        // An input that cannot be decoded ends like an empty one.
        if (last && (context_->wellFormed == 0 || !complete_)) fail(is_cut ? kCutOff : "not well-formed");
    }

    [[noreturn]] void fail(const std::string& why) { throw InputError(name_, line(), why); }

private:
    static Parser& of(void* self) { return *static_cast<Parser*>(self); }

    int line() const { return xmlSAX2GetLineNumber(context_.get()); }

    template <typename F>
    void guarded(F&& f) {
        if (failure_) return;
        try {
            try {
                f(*this);
            } catch (const BadElement& error) {
                fail(error.what());
            }
        } catch (...) {
            failure_ = std::current_exception();
            xmlStopParser(context_.get());
        }
    }

    void start(const xmlChar* element, int count, const xmlChar** attributes) {
        if (depth_ == 0 && !is_utf8()) throw BadElement("not in UTF-8");
        if (++depth_ > kMaxDepth) throw BadElement("nested too deep");
        attributes_.clear();
        decoded_.clear();
        // Five pointers each: name, prefix, namespace, begin and end of the value.
        for (int i = 0; i < count; ++i, attributes += 5) {
            const char* const begin = reinterpret_cast<const char*>(attributes[3]);
            const char* const end = reinterpret_cast<const char*>(attributes[4]);
            const std::string_view value{begin, static_cast<std::size_t>(end - begin)};
            attributes_.push_back({view(attributes[0]), with_ampersands(value)});
        }
        sink_.start(view(element), attributes_);
    }

    // Determined by the declaration, which is optional, and by the first bytes.
    bool is_utf8() const {
        const xmlChar* const declared = context_->encoding;
        const bool says_so = declared == nullptr || xmlStrcasecmp(declared, BAD_CAST "UTF-8") == 0;
        const xmlParserInputBuffer* const buffer = context_->input->buf;
        return says_so && (buffer == nullptr || buffer->encoder == nullptr);
    }

    void note(int line, const char* message, xmlErrorLevel level) {
        if (level < XML_ERR_ERROR || failure_ || !complaint_.empty()) return;
        complaint_ = message != nullptr ? message : "not well-formed";
        while (!complaint_.empty() && complaint_.back() == '\n') complaint_.pop_back();
        complaint_line_ = line;
    }

    const std::string& name_;
    XmlSink& sink_;
    std::unique_ptr<xmlParserCtxt, FreeContext> context_;
    // libxml2 leaves an ampersand in an attribute as a reference, so that entities can be replaced later.
    std::string_view with_ampersands(std::string_view value) {
        constexpr std::string_view kReference = "&#38;";
        if (value.find(kReference) == value.npos) return value;
        std::string& text = decoded_.emplace_back(value);
        for (std::size_t at = 0; (at = text.find(kReference, at)) != text.npos; ++at)
            text.replace(at, kReference.size(), "&");
        return text;
    }

    std::vector<XmlAttribute> attributes_;
    std::deque<std::string> decoded_;  // values of the element
    int depth_ = 0;
    bool complete_ = false;  // the outermost element has ended
    std::exception_ptr failure_;
    std::string complaint_;  // the parser's own first error
    int complaint_line_ = 0;
};

// A file, compressed by gzip or not.
class InputFile {
public:
    explicit InputFile(const std::string& name) {
        const int descriptor = name == "-" ? dup(0) : open(name.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) throw InputError(name, 0, std::strerror(errno));
        file_ = gzdopen(descriptor, "rb");
        if (file_ == nullptr) {
            close(descriptor);
            throw std::bad_alloc();
        }
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile() { gzclose_r(file_); }
    // 0 at the end, negative if it cannot be read.
    int read(char* into, std::size_t bytes) { return gzread(file_, into, static_cast<unsigned>(bytes)); }
    // Why it cannot be read.
    const char* why() const {
        int error = 0;
        const char* const text = gzerror(file_, &error);
        return error == Z_ERRNO ? std::strerror(errno) : text;
    }

private:
    gzFile file_ = nullptr;
};

}  // namespace

void read_xml(const std::string& file, XmlSink& sink) {
    InputFile input(file);
    const std::string name = file == "-" ? "standard input" : file;
    Parser parser(name, sink);
    std::vector<char> chunk(kChunk);
    bool empty = true;
    for (;;) {
        const int got = input.read(chunk.data(), chunk.size());
        if (got < 0) parser.fail(input.why());
        if (got == 0) break;
        empty = false;
        parser.feed({chunk.data(), static_cast<std::size_t>(got)}, false);
    }
    if (empty) throw InputError(name, 0, "the file is empty");
    parser.feed({}, true);
}

void read_xml_text(const std::string& name, std::string_view document, XmlSink& sink) {
    Parser parser(name, sink);
    while (!document.empty()) {
        const std::size_t bytes = std::min(document.size(), kChunk);
        parser.feed(document.substr(0, bytes), false);
        document.remove_prefix(bytes);
    }
    parser.feed({}, true);
}

}  // namespace memspy::report

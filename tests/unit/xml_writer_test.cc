// SPDX-License-Identifier: GPL-2.0-or-later
//
// XmlWriter: its output is well-formed whatever the text and complete whatever the size, and failures are
// reported.
#include <gtest/gtest.h>

#include <string>

#include "rt/xml_writer.h"

namespace memspy::profile {
namespace {

const std::string kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const std::string kBad = "\xEF\xBF\xBD";  // U+FFFD

bool append(const char* bytes, usize count, void* argument) {
    static_cast<std::string*>(argument)->append(bytes, count);
    return true;
}

// <e a="TEXT">TEXT</e>, without the head.
std::string written(const char* text) {
    std::string out;
    XmlWriter xml(append, &out);
    xml.open("e");
    xml.attribute("a", text);
    xml.text(text);
    xml.close();
    EXPECT_TRUE(xml.finish());
    EXPECT_EQ(out.substr(0, kHead.size()), kHead);
    return out.substr(kHead.size());
}

std::string expected(const std::string& attribute, const std::string& content) {
    return "<e a=\"" + attribute + "\">" + content + "</e>\n";
}

// Elements nest, close in the short form when empty, and numbers have the right base.
TEST(XmlWriter, Structure) {
    std::string out;
    XmlWriter xml(append, &out);
    xml.open("root");
    xml.attribute("n", u64{0});
    xml.hexadecimal("h", 0xABCDEF0123456789u);
    xml.open("empty");
    xml.attribute_unless_zero("zero", 0);
    xml.attribute_unless_zero("most", ~u64{0});
    xml.close();
    xml.open("outer");
    xml.open("inner");
    xml.yes_or_no("y", true);
    xml.yes_or_no("n", false);
    xml.text("t");
    xml.close();
    xml.close();
    xml.close();
    EXPECT_TRUE(xml.finish());
    EXPECT_EQ(out, kHead +
                       "<root n=\"0\" h=\"0xabcdef0123456789\">\n"
                       "  <empty most=\"18446744073709551615\"/>\n"
                       "  <outer>\n"
                       "    <inner y=\"yes\" n=\"no\">t</inner>\n"
                       "  </outer>\n"
                       "</root>\n");
}

// Characters with a meaning in XML come back from a reader unchanged.
TEST(XmlWriter, Escapes) {
    EXPECT_EQ(written("a<b>&\"c'"), expected("a&lt;b&gt;&amp;&quot;c'", "a&lt;b&gt;&amp;\"c'"));
    EXPECT_EQ(written("\t\n\r"), expected("&#9;&#10;&#13;", "\t\n&#13;"));
    EXPECT_EQ(written("]]>"), expected("]]&gt;", "]]&gt;"));
}

// Bytes that are not characters become U+FFFD, one each; characters stay.
TEST(XmlWriter, NotText) {
    auto both = [](const std::string& s) { return expected(s, s); };
    EXPECT_EQ(written("\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80"), both("\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80"));
    EXPECT_EQ(written("\x01\x1F"), both(kBad + kBad));
    EXPECT_EQ(written("\xFF\x80z"), both(kBad + kBad + "z"));
    EXPECT_EQ(written("\xC0\xAF"), both(kBad + kBad)) << "overlong /";
    EXPECT_EQ(written("\xE0\x80\xAF"), both(kBad + kBad + kBad)) << "overlong /";
    EXPECT_EQ(written("\xED\xA0\x80"), both(kBad + kBad + kBad)) << "surrogate";
    EXPECT_EQ(written("\xEF\xBF\xBF"), both(kBad + kBad + kBad)) << "U+FFFF";
    EXPECT_EQ(written("\xF4\x90\x80\x80"), both(kBad + kBad + kBad + kBad)) << "beyond U+10FFFF";
    // Cut off at the end, and by the next character: nothing behind the end is read.
    EXPECT_EQ(written("a\xE2\x82"), both("a" + kBad + kBad));
    EXPECT_EQ(written("\xF0\x9F<"), both(kBad + kBad + "&lt;"));
}

// Nothing is lost or repeated where the buffer is flushed.
TEST(XmlWriter, Streams) {
    constexpr int kElements = 30'000;
    struct Out {
        std::string text;
        int calls = 0;
    } out;
    XmlWriter xml(
        [](const char* bytes, usize count, void* argument) {
            Out& o = *static_cast<Out*>(argument);
            ++o.calls;
            return append(bytes, count, &o.text);
        },
        &out);
    std::string model = kHead + "<r>\n";
    xml.open("r");
    for (int i = 0; i < kElements; ++i) {
        xml.open("e");
        xml.attribute("i", static_cast<u64>(i));
        xml.close();
        model += "  <e i=\"" + std::to_string(i) + "\"/>\n";
    }
    xml.close();
    EXPECT_TRUE(xml.finish());
    EXPECT_EQ(out.text, model + "</r>\n");
    EXPECT_GT(out.calls, 5);
    EXPECT_LT(out.calls, 20);
}

// A sink that fails is not called again, and finish() returns false.
TEST(XmlWriter, Fails) {
    int calls = 0;
    XmlWriter xml([](const char*, usize, void* argument) { return ++*static_cast<int*>(argument) < 2; },
                  &calls);
    xml.open("r");
    for (int i = 0; i < 100'000; ++i) {
        xml.open("e");
        xml.close();
    }
    xml.close();
    EXPECT_FALSE(xml.finish());
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace memspy::profile

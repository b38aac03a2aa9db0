// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: words are counted in a hash table.
#include <cstdio>
#include <string>
#include <unordered_map>

int main() {
    std::unordered_map<std::string, long> counts;
    std::string text;
    unsigned seed = 3;
    for (int i = 0; i < 6000; ++i) {
        seed = seed * 1103515245 + 12345;
        text += "word" + std::to_string((seed >> 8) % 900) + ' ';
    }
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find(' ', begin)) != text.npos; begin = end + 1)
        ++counts[text.substr(begin, end - begin)];
    long most = 0;
    for (const auto &[word, count] : counts)
        most = count > most ? count : most;
    std::printf("%zu words, %ld\n", counts.size(), most);
}

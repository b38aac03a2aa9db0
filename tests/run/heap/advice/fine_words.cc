// SPDX-License-Identifier: GPL-2.0-or-later
// Words are counted in a hash table that knows how many there are.
#include <cstdio>
#include <string>
#include <unordered_map>

int main() {
    std::unordered_map<std::string, int> counts;
    counts.reserve(400);
    std::string word;
    word.reserve(64);
    for (int i = 0; i < 20000; ++i) {
        word.assign("the word number ");
        word += static_cast<char>('a' + i % 20);
        word += static_cast<char>('a' + i / 20 % 20);
        ++counts[word];
    }
    printf("%d\n", counts["the word number aa"]);
}

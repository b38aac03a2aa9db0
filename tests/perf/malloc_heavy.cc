// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: a C++ program that lives in the allocator. Maps, strings, vectors and lists come and go in a
// fixed pseudo-random order; a checksum is printed, so that a wrong run shows.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

class Random {
public:
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::uint32_t>(state_ >> 33);
    }
    std::uint32_t below(std::uint32_t limit) { return next() % limit; }

private:
    std::uint64_t state_ = 42;
};

std::string make_word(Random& random) {
    std::string word;
    for (std::uint32_t length = 3 + random.below(40); length > 0; --length)
        word.push_back(static_cast<char>('a' + random.below(26)));
    return word;
}

std::uint64_t words_and_counts(Random& random, unsigned rounds) {
    std::map<std::string, std::vector<unsigned>> places;
    std::unordered_map<std::string, unsigned> counts;
    std::vector<std::string> known;
    for (unsigned i = 0; i < rounds; ++i) {
        if (known.size() < 2000 || random.below(4) == 0) known.push_back(make_word(random));
        const std::string& word = known[random.below(static_cast<std::uint32_t>(known.size()))];
        places[word].push_back(i);
        ++counts[word];
        if (places.size() > 3000) places.erase(places.begin());
    }
    std::uint64_t sum = 0;
    for (const auto& [word, where] : places) sum += word.size() * where.size() + where.back();
    for (const auto& [word, count] : counts) sum += word.size() ^ count;
    return sum;
}

std::uint64_t lists_and_trees(Random& random, unsigned rounds) {
    struct Node {
        std::unique_ptr<Node> left, right;
        std::uint32_t key = 0;
    };
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < rounds; ++i) {
        std::unique_ptr<Node> root;
        std::list<std::uint32_t> queue;
        for (unsigned j = 0; j < 500; ++j) {
            auto node = std::make_unique<Node>();
            node->key = random.next();
            std::unique_ptr<Node>* place = &root;
            while (*place) place = node->key < (*place)->key ? &(*place)->left : &(*place)->right;
            queue.push_back(node->key);
            if (queue.size() > 50) queue.pop_front();
            *place = std::move(node);
        }
        for (std::uint32_t key : queue) sum += key;
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned scale = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
    Random random;
    const std::uint64_t words = words_and_counts(random, 20000 * scale);
    const std::uint64_t lists = lists_and_trees(random, 50 * scale);
    std::printf("%016" PRIx64 " %016" PRIx64 "\n", words, lists);
}

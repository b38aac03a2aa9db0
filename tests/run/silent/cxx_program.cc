// SPDX-License-Identifier: GPL-2.0-or-later
//
// A C++ program of ordinary habits: streams, regular expressions, threads, locale, containers, exceptions.
// It must be silent under memspy and print the same as without it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Thousands : std::numpunct<char> {
    char do_thousands_sep() const override { return '\''; }
    std::string do_grouping() const override { return "\3"; }
};

void streams() {
    std::ostringstream out;
    out.imbue(std::locale(std::locale::classic(), new Thousands));
    out << std::setw(12) << 123456789 << ' ' << std::fixed << std::setprecision(3) << 12345.6789 << ' ' << std::hex
        << 48879 << ' ' << std::boolalpha << true;
    std::cout << out.str() << '\n';
    std::istringstream in("3 4.5 word rest of line\nnext");
    int i;
    double d;
    std::string word, line;
    in >> i >> d >> word;
    std::getline(in, line);
    std::cout << i + 1 << ' ' << d * 2 << ' ' << word.size() << ' ' << line << '\n';
    std::locale user("");
    std::cout << std::use_facet<std::ctype<char>>(user).toupper('q') << std::isalpha('x', user) << '\n';
}

void regular_expressions() {
    const std::regex date(R"((\d{4})-(\d\d)-(\d\d))");
    std::string text;
    for (int n = 1; n < 13; ++n) text += "on 2020-" + std::string(n < 10 ? "0" : "") + std::to_string(n) + "-05, ";
    int months = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), date), end; at != end; ++at)
        months += std::stoi((*at)[2]);
    std::cout << months << ' ' << std::regex_replace(text.substr(0, 30), date, "$3.$2.$1") << '\n';
    std::wregex wide(LR"([[:alpha:]]+)");
    std::wstring words = L"alpha beta 42 gamma";
    std::cout << std::distance(std::wsregex_iterator(words.begin(), words.end(), wide), std::wsregex_iterator())
              << '\n';
}

void threads() {
    std::mutex lock;
    std::map<int, std::vector<std::string>> results;
    std::atomic<long> total{0};
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; ++t)
        workers.emplace_back([&, t] {
            std::mt19937 random(static_cast<unsigned>(t));
            for (int n = 0; n < 20; ++n) {  // more would be contention on the lock
                std::string item(random() % 50, static_cast<char>('a' + t));
                total += static_cast<long>(item.size());
                std::lock_guard<std::mutex> hold(lock);
                results[t].push_back(std::move(item));
            }
        });
    for (auto& worker : workers) worker.join();
    auto later = std::async(std::launch::async, [&] {
        return std::accumulate(results.begin(), results.end(), std::size_t{0},
                               [](std::size_t sum, const auto& entry) { return sum + entry.second.size(); });
    });
    std::cout << total << ' ' << later.get() << '\n';
}

void containers() {
    std::unordered_map<std::string, std::shared_ptr<std::set<int>>> table;
    for (int n = 0; n < 2000; ++n) {
        auto& entry = table["key" + std::to_string(n % 97)];
        if (!entry) entry = std::make_shared<std::set<int>>();
        entry->insert(n * 7919 % 1009);
    }
    std::vector<std::variant<int, std::string, double>> mixed;
    for (int n = 0; n < 300; ++n) {
        if (n % 3 == 0) mixed.emplace_back(n);
        else if (n % 3 == 1) mixed.emplace_back("text " + std::to_string(n));
        else mixed.emplace_back(n / 3.0);
    }
    std::stable_sort(mixed.begin(), mixed.end());
    std::vector<bool> bits(1000);
    for (std::size_t n = 0; n < bits.size(); n += 7) bits[n] = true;
    std::cout << table.size() << ' ' << table["key5"]->size() << ' ' << mixed.back().index() << ' '
              << std::count(bits.begin(), bits.end(), true) << '\n';
}

void exceptions() {
    int caught = 0;
    for (int n = 0; n < 30; ++n) {
        try {
            if (n % 2) (void)std::stoi("not a number");
            std::optional<int> none;
            (void)none.value();
        } catch (const std::invalid_argument&) {
            ++caught;
        } catch (const std::bad_optional_access&) {
            caught += 100;
        }
    }
    std::cout << caught << '\n';
}

void files() {
    const auto path = std::filesystem::current_path() / "written";
    {
        std::ofstream out(path);
        for (int n = 0; n < 2000; ++n) out << "line " << n << ' ' << n * 0.5 << '\n';
    }
    std::ifstream in(path);
    std::string line;
    std::size_t bytes = 0;
    while (std::getline(in, line)) bytes += line.size();
    std::cout << bytes << ' ' << std::filesystem::file_size(path) << '\n';
    std::filesystem::remove(path);
}

}  // namespace

int main() {
    streams();
    regular_expressions();
    threads();
    containers();
    exceptions();
    files();
}

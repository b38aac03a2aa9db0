// SPDX-License-Identifier: GPL-2.0-or-later
// A map of objects that own each other: all of it is used.
#include <cstdio>
#include <map>
#include <memory>
#include <string>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Box : Shape {
    double a, b;
    Box(double width, double height) : a(width), b(height) {}
    double area() const override { return a * b; }
};

int main() {
    std::map<std::string, std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 300; ++i)
        shapes["a shape with a long name " + std::to_string(i * 7919 % 300)] = std::make_unique<Box>(i, 2);
    double sum = 0;
    for (int round = 0; round < 300; ++round)
        for (const auto& [name, shape] : shapes) sum += shape->area() + static_cast<double>(name.size());
    printf("%g\n", sum);
}

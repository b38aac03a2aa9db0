// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a member that the constructor forgets is reported with the line of the new.
#include "case.h"

class Window {
public:
    Window() : width_(10), height_(20) {}
    NOINLINE void draw() const {
        BRANCH_ON(visible_);  /* expect: UninitCondition origin=A */
    }
    int area() const { return width_ * height_; }

private:
    int width_, height_;
    bool visible_;
};

int main() {
    Window* window = HIDE(new Window);  /* label: A */
    BRANCH_ON(window->area() == 200);
    window->draw();
    delete window;
}

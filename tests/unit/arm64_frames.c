// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions with each kind of frame that clang makes for ARM64; variables_arm64_test.cc knows their variables.
void ask(void *);

int leaf(int n) {
    int table[16];
    for (int i = 0; i < 16; i++) table[i] = i * n;
    return table[n & 15];
}

double calls(int n) {
    double values[40];
    int chosen = 3;
    ask(values);
    ask(&chosen);
    return values[chosen] + n;
}

int pages(int n) {
    char text[70000];
    int chosen = n;
    ask(text);
    ask(&chosen);
    return text[n] + chosen;
}

int aligned(int n) {
    int line[8] __attribute__((aligned(64)));
    int chosen = n;
    ask(line);
    ask(&chosen);
    return line[1] + chosen;
}

int variable_length(int n) {
    int fixed[200];
    int rows[n];
    ask(fixed);
    ask(rows);
    return rows[1] + fixed[2];
}

int aligned_variable_length(int n) {
    int line[8] __attribute__((aligned(64)));
    int rows[n];
    ask(line);
    ask(rows);
    return rows[1] + line[2];
}

float many(float a, float b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l) {
    float four[4] = {a, b, c, d};
    ask(four);
    return four[1] + e + f + g + h + i + j + k + l;
}

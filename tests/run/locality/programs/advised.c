/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Programs with bad locality, each with the remedy beside it: `advised NAME` has advice, `advised NAME-mended` has none.
 * All is bigger than the first cache of any machine, and small enough for a test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline))
enum { N = 1536, STARS = 1 << 18, PARTICLES = 1 << 16, TILE = 32, PART = 2048 };
double a[1][N], b[N][N], c[1][N], from[N][N], to[N][N];
struct star { double mass, x, y, z, vx, vy, vz, brightness; };
struct star stars[STARS];
double masses[STARS];
struct { double x, rest[7]; } particles[PARTICLES];
struct { double rest[7]; } rests[PARTICLES];
double xs[PARTICLES];
float readings[4096][256], column[4096];
int64_t numbers[1 << 18];
struct order { int id, customer, state, amount, day, items[5]; };
struct order orders[STARS];
int states[STARS];
struct cell { int64_t key[7], age; };
struct cell cells[STARS];
int64_t ages[STARS];
struct body { double x, a[3], v, b[3]; };
struct body bodies[PARTICLES];
double all_x[PARTICLES], all_v[PARTICLES];

/* b is read by columns in the inner loop. */
KERNEL void multiply(void) {
    for (int i = 0; i < 1; ++i)
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < N; ++k)
                c[i][j] += a[i][k] * b[k][j]; /* here: multiply */
}
KERNEL void multiply_mended(void) {
    for (int i = 0; i < 1; ++i)
        for (int k = 0; k < N; ++k)
            for (int j = 0; j < N; ++j)
                c[i][j] += a[i][k] * b[k][j];
}

/* A sum of each column, column after column. */
KERNEL double columns(void) {
    double total = 0;
    for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int i = 0; i < N; ++i)
            sum += b[i][j]; /* here: columns */
        total += sum * sum;
    }
    return total;
}
KERNEL double columns_mended(void) {
    double total = 0;
    memset(to[0], 0, sizeof to[0]);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            to[0][j] += b[i][j];
    for (int j = 0; j < N; ++j) total += to[0][j] * to[0][j];
    return total;
}

/* One of the two is read or written across, whatever the order of the loops. */
KERNEL void transpose(void) {
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            to[j][i] = from[i][j]; /* here: transpose */
}
KERNEL void transpose_mended(void) {
    for (int ii = 0; ii < N; ii += TILE)
        for (int jj = 0; jj < N; jj += TILE)
            for (int i = ii; i < ii + TILE; ++i)
                for (int j = jj; j < jj + TILE; ++j)
                    to[j][i] = from[i][j];
}

/* One member of eight is used. */
KERNEL double weigh(void) {
    double sum = 0;
    for (int i = 0; i < STARS; ++i)
        sum += stars[i].mass; /* here: weigh */
    return sum;
}
KERNEL double weigh_mended(void) {
    double sum = 0;
    for (int i = 0; i < STARS; ++i)
        sum += masses[i];
    return sum;
}

/* One member has four fifths of the accesses, and all others are used in order, too, once. */
KERNEL double drift(void) {
    double sum = 0;
    for (int round = 0; round < 28; ++round)
        for (int i = 0; i < PARTICLES; ++i)
            sum += particles[i].x; /* here: drift */
    for (int i = 0; i < PARTICLES; ++i)
        for (int j = 0; j < 7; ++j) sum += particles[i].rest[j];
    return sum;
}
KERNEL double drift_mended(void) {
    double sum = 0;
    for (int round = 0; round < 28; ++round)
        for (int i = 0; i < PARTICLES; ++i)
            sum += xs[i];
    for (int i = 0; i < PARTICLES; ++i)
        for (int j = 0; j < 7; ++j) sum += rests[i].rest[j];
    return sum;
}

/* One reading of each row. */
KERNEL float sensor(void) {
    float most = 0;
    for (int round = 0; round < 60; ++round)
        for (int i = 0; i < 4096; ++i)
            most = readings[i][17] > most ? readings[i][17] : most; /* here: sensor */
    return most;
}
KERNEL float sensor_mended(void) {
    float most = 0;
    for (int i = 0; i < 4096; ++i) column[i] = readings[i][17];
    for (int round = 0; round < 60; ++round)
        for (int i = 0; i < 4096; ++i)
            most = column[i] > most ? column[i] : most;
    return most;
}

/* All numbers for each of some steps, although a part could take all steps at once. The part of memory that is used is
 * a little larger than the first cache, of which main is told the size. */
KERNEL void steps(int count) {
    for (int step = 0; step < 24; ++step)
        for (int i = 0; i < count; ++i)
            numbers[i] = numbers[i] * 3 + 1442695040888963407; /* here: steps */
}
KERNEL void steps_mended(int count) {
    for (int part = 0; part < count; part += PART)
        for (int step = 0; step < 24; ++step)
            for (int i = part; i < part + PART; ++i)
                numbers[i] = numbers[i] * 3 + 1442695040888963407;
}

/* All numbers in several loops, one after the other. */
KERNEL void pipeline(int count) {
    for (int i = 0; i < count; ++i) numbers[i] = i % 256;             /* here: pipeline */
    for (int i = 0; i < count; ++i) numbers[i] = numbers[i] * 3;      /* here: pipeline */
    for (int i = 0; i < count; ++i) numbers[i] = numbers[i] + (i & 1);  /* here: pipeline */
    for (int i = 0; i < count; ++i) numbers[i] = numbers[i] ^ 85;     /* here: pipeline */
    for (int i = 0; i < count; ++i) numbers[i] = 255 - numbers[i];    /* here: pipeline */
}
KERNEL void pipeline_mended(int count) {
    for (int part = 0; part < count; part += PART) {
        for (int i = part; i < part + PART; ++i) numbers[i] = i % 256;
        for (int i = part; i < part + PART; ++i) numbers[i] = numbers[i] * 3;
        for (int i = part; i < part + PART; ++i) numbers[i] = numbers[i] + (i & 1);
        for (int i = part; i < part + PART; ++i) numbers[i] = numbers[i] ^ 85;
        for (int i = part; i < part + PART; ++i) numbers[i] = 255 - numbers[i];
    }
}

/* A condition in the loop, which may be vectorised. */
KERNEL double count(int state) {
    int found = 0;
    for (int i = 0; i < STARS; ++i) if (orders[i].state == state) ++found; /* here: count */
    return found;
}
KERNEL double count_mended(int state) {
    int found = 0;
    for (int i = 0; i < STARS; ++i)
        if (states[i] == state) ++found;
    return found;
}

/* An instruction that loads and stores. */
KERNEL void age(int years) {
    for (int i = 0; i < STARS; ++i)
        cells[i].age += years; /* here: age */
}
KERNEL void age_mended(int years) {
    for (int i = 0; i < STARS; ++i)
        ages[i] += years;
}

/* Two members half a structure apart. */
KERNEL double energy(void) {
    for (int i = 0; i < PARTICLES; ++i) {
        bodies[i].x = i;      /* here: energy */
        bodies[i].v = i % 10; /* here: energy */
    }
    double sum = 0;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < PARTICLES; ++i)
            sum += bodies[i].x * bodies[i].v; /* here: energy */
    return sum;
}
KERNEL double energy_mended(void) {
    for (int i = 0; i < PARTICLES; ++i) {
        all_x[i] = i;
        all_v[i] = i % 10;
    }
    double sum = 0;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < PARTICLES; ++i)
            sum += all_x[i] * all_v[i];
    return sum;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    const int some = argc > 2 ? atoi(argv[2]) : PART;
    double result = 0;
#define CASE(n, call) if (strcmp(name, n) == 0) call
    CASE("multiply", multiply());
    CASE("multiply-mended", multiply_mended());
    CASE("columns", result = columns());
    CASE("columns-mended", result = columns_mended());
    CASE("transpose", transpose());
    CASE("transpose-mended", transpose_mended());
    CASE("weigh", result = weigh());
    CASE("weigh-mended", result = weigh_mended());
    CASE("drift", result = drift());
    CASE("drift-mended", result = drift_mended());
    CASE("sensor", result = sensor());
    CASE("sensor-mended", result = sensor_mended());
    CASE("steps", steps(some));
    CASE("steps-mended", steps_mended(some));
    CASE("pipeline", pipeline(some));
    CASE("pipeline-mended", pipeline_mended(some));
    CASE("count", result = count(argc));
    CASE("count-mended", result = count_mended(argc));
    CASE("age", age(argc));
    CASE("age-mended", age_mended(argc));
    CASE("energy", result = energy());
    CASE("energy-mended", result = energy_mended());
    printf("%g\n", result + c[0][0] + to[0][0] + (double)numbers[0]);
    return 0;
}

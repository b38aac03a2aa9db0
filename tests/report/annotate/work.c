/* The source that annotate_test.py shows. */

static void bump(void) {
    counter++;
}






void work(void) {
    bump(); memcpy(a, b, sizeof a);
}

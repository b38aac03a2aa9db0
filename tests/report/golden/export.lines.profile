/nonexistent/src/search.c:33:1: FalseSharing: False sharing inside counters
/nonexistent/src/search.c:33:1: note: thread 3 writes the same cache line
/nonexistent/src/search.c:33:1: note: many misses and invalidations
/nonexistent/src/search.c:33:1: note: Pad each element of 8 bytes to 64

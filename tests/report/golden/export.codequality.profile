[
 {
  "description": "False sharing inside counters. many misses and invalidations. Pad each element of 8 bytes to 64",
  "content": {
   "body": "False sharing inside counters\n   at search (search.c:33)\n   by pool_run (pool.c:12)\n   by pool_main (pool.c:20)\n thread 3 writes the same cache line\n   at search (search.c:33)\n   by pool_run (pool.c:12)\n   by pool_main (pool.c:20)\n many misses and invalidations\n Pad each element of 8 bytes to 64\n\nPut what different threads write on lines of their own (alignas(64), padding), or keep a copy for each thread. The text names the fields."
  },
  "check_name": "FalseSharing",
  "fingerprint": "45e6d4925d589590",
  "severity": "minor",
  "location": {
   "path": "/nonexistent/src/search.c",
   "lines": {
    "begin": 33
   }
  }
 }
]

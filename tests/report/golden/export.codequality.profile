[
 {
  "description": "False sharing inside counters",
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

{
 "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
 "version": "2.1.0",
 "runs": [
  {
   "tool": {
    "driver": {
     "name": "memspy",
     "version": "1.0",
     "rules": [
      {
       "id": "FalseSharing",
       "name": "FalseSharing",
       "shortDescription": {
        "text": "Threads use different bytes of one cache line, which moves between cores at each use."
       },
       "help": {
        "text": "Threads use different bytes of one cache line, which moves between cores at each use. Put what different threads write on lines of their own (alignas(64), padding), or keep a copy for each thread. The text names the fields."
       }
      }
     ]
    }
   },
   "results": [
    {
     "ruleId": "FalseSharing",
     "ruleIndex": 0,
     "level": "warning",
     "message": {
      "text": "False sharing inside counters\nthread 3 writes the same cache line search (search.c:33)\nmany misses and invalidations\nPad each element of 8 bytes to 64"
     },
     "locations": [
      {
       "physicalLocation": {
        "artifactLocation": {
         "uri": "file:///nonexistent/src/search.c"
        },
        "region": {
         "startLine": 33
        }
       },
       "logicalLocations": [
        {
         "fullyQualifiedName": "search",
         "kind": "function"
        }
       ]
      }
     ],
     "relatedLocations": [
      {
       "physicalLocation": {
        "artifactLocation": {
         "uri": "file:///nonexistent/src/search.c"
        },
        "region": {
         "startLine": 33
        }
       },
       "logicalLocations": [
        {
         "fullyQualifiedName": "search",
         "kind": "function"
        }
       ],
       "id": 1,
       "message": {
        "text": "thread 3 writes the same cache line"
       }
      }
     ],
     "codeFlows": [
      {
       "threadFlows": [
        {
         "locations": [
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/pool.c"
             },
             "region": {
              "startLine": 20
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "pool_main",
              "kind": "function"
             }
            ]
           }
          },
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/pool.c"
             },
             "region": {
              "startLine": 12
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "pool_run",
              "kind": "function"
             }
            ]
           }
          },
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/search.c"
             },
             "region": {
              "startLine": 33
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "search",
              "kind": "function"
             }
            ]
           }
          }
         ]
        },
        {
         "locations": [
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/pool.c"
             },
             "region": {
              "startLine": 20
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "pool_main",
              "kind": "function"
             }
            ]
           }
          },
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/pool.c"
             },
             "region": {
              "startLine": 12
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "pool_run",
              "kind": "function"
             }
            ]
           }
          },
          {
           "location": {
            "physicalLocation": {
             "artifactLocation": {
              "uri": "file:///nonexistent/src/search.c"
             },
             "region": {
              "startLine": 33
             }
            },
            "logicalLocations": [
             {
              "fullyQualifiedName": "search",
              "kind": "function"
             }
            ]
           }
          }
         ]
        }
       ]
      }
     ],
     "stacks": [
      {
       "message": {
        "text": "False sharing inside counters"
       },
       "frames": [
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/search.c"
           },
           "region": {
            "startLine": 33
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "search",
            "kind": "function"
           }
          ]
         },
         "module": "search"
        },
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/pool.c"
           },
           "region": {
            "startLine": 12
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "pool_run",
            "kind": "function"
           }
          ]
         },
         "module": "libpool.so"
        },
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/pool.c"
           },
           "region": {
            "startLine": 20
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "pool_main",
            "kind": "function"
           }
          ]
         },
         "module": "libpool.so"
        }
       ]
      },
      {
       "message": {
        "text": "thread 3 writes the same cache line"
       },
       "frames": [
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/search.c"
           },
           "region": {
            "startLine": 33
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "search",
            "kind": "function"
           }
          ]
         },
         "module": "search"
        },
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/pool.c"
           },
           "region": {
            "startLine": 12
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "pool_run",
            "kind": "function"
           }
          ]
         },
         "module": "libpool.so"
        },
        {
         "location": {
          "physicalLocation": {
           "artifactLocation": {
            "uri": "file:///nonexistent/src/pool.c"
           },
           "region": {
            "startLine": 20
           }
          },
          "logicalLocations": [
           {
            "fullyQualifiedName": "pool_main",
            "kind": "function"
           }
          ]
         },
         "module": "libpool.so"
        }
       ]
      }
     ],
     "partialFingerprints": {
      "memspy/v1": "45e6d4925d589590"
     },
     "occurrenceCount": 1,
     "properties": {
      "remedy": "pad-elements",
      "object": "counters",
      "bytes": 64,
      "stride": 8,
      "means": "alignas",
      "removes": 70000,
      "events": 81000,
      "gain": 15.0
     }
    }
   ]
  }
 ]
}

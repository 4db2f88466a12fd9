// What one worker process does: one matrix, from the file to its part of the result line. It talks to the
// process that started it in lines: on standard output what it is doing, what it needs and what came of it;
// on standard input the job, and "go" wherever it asked.
#pragma once

#include <string>

namespace sparsmith {

// The first argument of a worker; the second is the matrix. Without one it says what the machine is.
inline constexpr const char* worker_flag = "--worker";

// What the lines of a worker begin with.
inline constexpr const char *says_stage = "stage ",  // and what it is doing
    *says_content = "content ",                      // and the hash; waits for go
        *says_device = "device",                     // it is ready for the device; waits for go
            *says_free = "free",                     // it is done with the device
                *says_result = "result ";            // and one JSON object; the last line

// The exit status.
int run_worker(int argc, char** argv);

}  // namespace sparsmith

#pragma once

namespace sparsmith::testing {

// A kernel that traps: for the rest of the process, CUDA answers every call with an error, as it does when a
// GPU falls off the bus. Whether it does.
bool lose_device();

}  // namespace sparsmith::testing

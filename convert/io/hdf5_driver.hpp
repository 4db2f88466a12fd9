// How HDF5 gets at the bytes of a file that is read. Its own driver keeps pieces of what it read and takes a
// damaged address for one inside them, which ends the process; a damaged global heap keeps it busy for ever
// (seen with 1.10.8). This one looks at every read before HDF5 does, and keeps nothing.
#pragma once

#include <hdf5.h>

namespace sparsmith::hdf5 {

// Registered once; negative where HDF5 does not take it.
hid_t reading_driver();

}  // namespace sparsmith::hdf5

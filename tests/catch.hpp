// Catch2 is version 3 on Ubuntu 24.04 and 2.13 on Debian 12; tests include this and see no difference.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

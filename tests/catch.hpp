// The only way to Catch2, which is version 3 on Ubuntu 24.04 and 2.13 on Debian 12. Tests use of it what both
// have under one name, and catch_lint.py sees to that; a new name needs a look at both versions:
//   TEST_CASE SECTION DYNAMIC_SECTION INFO UNSCOPED_INFO CAPTURE WARN FAIL FAIL_CHECK SUCCEED Approx CHECK
//   CHECK_FALSE CHECK_NOTHROW CHECK_THROWS CHECK_THROWS_AS REQUIRE REQUIRE_FALSE REQUIRE_NOTHROW
//   REQUIRE_THROWS_AS STATIC_REQUIRE
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // version 2 puts it here itself
#else
#include <catch2/catch.hpp>
#endif

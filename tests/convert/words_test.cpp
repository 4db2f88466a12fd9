// Numbers in words: compared as they stand, beside the borders where a rule changes.
#include "convert/words.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace sparsmith;

TEST_CASE("numbers have commas") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(-123456) == "-123,456");
  CHECK(with_commas(1234567890123) == "1,234,567,890,123");
  CHECK(with_commas("-51306.3981") == "-51,306.3981");
  CHECK(with_commas("999.5") == "999.5");
  CHECK(with_commas("inf") == "inf");
}

TEST_CASE("what was measured has three figures, what is exact four digits or three decimals") {
  CHECK(three_figures(0) == "0.00");
  CHECK(three_figures(0.1234) == "0.12");
  CHECK(three_figures(9.994) == "9.99");
  CHECK(three_figures(9.996) == "10.0");
  CHECK(three_figures(99.94) == "99.9");
  CHECK(three_figures(99.96) == "100");
  CHECK(three_figures(999.6) == "1,000");
  CHECK(three_figures(-12.34) == "-12.3");
  CHECK(three_figures(123456789) == "123,456,789");
  CHECK(three_figures(2.5e16) == "2.5e+16");
  CHECK(four_digits(0.0123456) == "0.01235");
  CHECK(four_digits(999.96) == "1,000");
  CHECK(four_digits(53444.125) == "53,444");
  CHECK(four_digits(-1234567) == "-1,234,567");
  CHECK(three_decimals(2.0 / 3) == "0.667");
  CHECK(three_decimals(999.9994) == "999.999");
  CHECK(three_decimals(999.9996) == "1,000");
  CHECK(three_decimals(53444.125) == "53,444");
  CHECK(three_decimals(1234567) == "1.23e+06");
}

TEST_CASE("a time is told in the unit that suits it") {
  CHECK(time_text(0) == "0.00 us");
  CHECK(time_text(5e-7) == "0.50 us");
  CHECK(time_text(12.34e-6) == "12.3 us");
  CHECK(time_text(999.4e-6) == "999 us");
  CHECK(time_text(999.6e-6) == "1.00 ms");
  CHECK(time_text(0.25) == "250 ms");
  CHECK(time_text(0.9996) == "1.00 s");
  CHECK(time_text(75) == "75.0 s");
  CHECK(time_text(3600) == "3,600 s");
  CHECK(time_range_text(950e-6, 1020e-6) == "0.95 - 1.02 ms");
  CHECK(microseconds(1.5) == "1,500,000");
  CHECK(milliseconds(0.00125) == "1.25");
}

TEST_CASE("ratios and rates have three figures too") {
  CHECK(ratio_text(1.004) == "1.00");
  CHECK(ratio_text(12.34) == "12.3");
  CHECK(ratio_text(1234) == "1,234");
  CHECK(ratio_text(std::numeric_limits<double>::infinity()) == "-");
  CHECK(ratio_text(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(giga(51.26e9) == "51.3");
  CHECK(giga(3921.4e9) == "3,921");
}

TEST_CASE("nearly all is not all, and little is not nothing") {
  CHECK(percent(0) == "0 %");
  CHECK(percent(0.375) == "37.5 %");
  CHECK(percent(2.0 / 3) == "66.67 %");
  CHECK(percent(1) == "100 %");
  CHECK(percent(0.9999) == "99.99 %");
  CHECK(percent(0.99996) == "> 99.99 %");
  CHECK(percent(0.9999999999) == "> 99.99 %");
  CHECK(percent(1.5) == "150 %");
  CHECK(percent(0.000123456) == "0.01235 %");
  CHECK(percent(1e-9) == "1e-07 %");
  CHECK(rounded_percent(0) == "0.0 %");
  CHECK(rounded_percent(0.8734) == "87.3 %");
  CHECK(rounded_percent(0.9996) == "> 99.9 %");
  CHECK(rounded_percent(1) == "100.0 %");
  CHECK(rounded_percent(1.234) == "123.4 %");
}

TEST_CASE("bytes are counted by 1024") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.0 KiB");
  CHECK(format_bytes((1 << 20) - 1) == "1.0 MiB");
  CHECK(format_bytes(std::int64_t{3} << 29) == "1.5 GiB");
  CHECK(format_bytes(std::numeric_limits<std::int64_t>::max()) == "8.0 EiB");
}

TEST_CASE("products are whole ones, rounded up") {
  CHECK(products_text(-1) == "never");
  CHECK(products_text(std::numeric_limits<double>::infinity()) == "never");
  CHECK(products_text(0) == "at once");
  CHECK(products_text(0.2) == "1");
  CHECK(products_text(1234.5) == "1,235");
  CHECK(products_text(30.000000000000004) == "30");
  CHECK(products_text(2.5e18) == "2.5e+18");
}

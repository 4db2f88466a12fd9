// Numbers in words: how times, ratios, rates, shares, bytes and counts are written for people, by every tool,
// on a terminal and on a page alike. The pages' scripts follow the same rules (analyze/report/charts.js).
#pragma once

#include <cstdint>
#include <string>

namespace sparsmith {

// Between the thousands of a number that is written out, up to its point: "-51,306.398".
std::string with_commas(std::string number);
std::string with_commas(std::int64_t number);  // "12,345,678"

// What was measured, or follows from it: three figures, and all of them before the point: "0.12", "1.23",
// "12.3", "123", "12,346".
std::string three_figures(double number);

// What is known exactly. Four digits, and all of them before the point: "0.01234", "12.35", "53,444".
std::string four_digits(double number);
// The same in a column: "0.667", "12.346", "53,444".
std::string three_decimals(double number);

// Three figures in the unit that suits them: "0.50 us", "12.3 us", "1.00 ms", "75.0 s".
std::string time_text(double seconds);
// Two times in the unit of the greater: "950 - 1,020 us".
std::string time_range_text(double low, double high);
// Three figures in columns whose heading names the unit.
std::string microseconds(double seconds);
std::string milliseconds(double seconds);

// How many times, of something measured; "-" where there is nothing to compare with.
std::string ratio_text(double ratio);

// So many billions a second: bytes in GB/s, and what else is counted.
std::string giga(double per_second);

// A share of what was counted with four digits: little stays visible, and nearly all ("> 99.99 %") is not
// all.
std::string percent(double share);
// A share of what was measured with one decimal; nearly all ("> 99.9 %") is not all here either.
std::string rounded_percent(double share);

std::string format_bytes(std::int64_t bytes);  // "12.3 MiB"

// Products after which a price is repaid, rounded up: "never", "at once", "1,235".
std::string products_text(double products);
// The whole number that is no smaller; what is above one by rounding alone counts as that one.
std::string whole_number(double number);

}  // namespace sparsmith

// The parts of the page of a recommendation, a file for each concern, and how they write what they share. All
// return HTML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/recommend/standing.hpp"
#include "analyze/recommend/trade_offs.hpp"
#include "analyze/report/html.hpp"
#include "convert/words.hpp"

namespace sparsmith::recommendation_page_parts {

using json = nlohmann::ordered_json;

// ---- words ----

inline const std::string dash = "–";

// As words.hpp has it, with the signs that a page can show and no break before a unit.
std::string time_on_page(double seconds);
std::string time_range_on_page(double low, double high);
std::string granted_on_page(double seconds);  // a time that somebody typed

// A number as it sorts, and as it reads; a dash where there is no time.
std::string sortable(double value, const std::string& shown);
std::string time_cell(double seconds);
std::string bytes_over_csr(const recommendation& r, std::int64_t bytes);

std::string prose(std::string_view text);     // escaped, and A^T as it is written by hand
std::string sentence(std::string_view text);  // with a capital and a full stop
std::string name_of_product(operation op);
std::string name_on_page(const listed_contestant& one);  // "bsr/stream (5 x 5)", not escaped
std::string joined(const std::vector<std::string>& parts, const char* between);

// ---- parts ----

std::string verdict_card(const recommendation& r, const verdict& v);
std::string reasons_card(const verdict& v);
std::string alternatives_card(const recommendation& r, const verdict& v);
std::string actions_card(const recommendation& r, const verdict& v);

std::string charts(const recommendation& r, const verdict& v, std::size_t matrix);
json chart_data(const recommendation& r, const verdict& v);  // only numbers that stand in tables too

std::string departures_card(const recommendation& r);
std::string results_card(const recommendation& r, const verdict& v);

std::string spent_text(const recommendation& r);
// Machine and request of all matrices, told once where they are the same.
std::string circumstances(const std::vector<recommendation>& all, const std::vector<std::string>& called);

}  // namespace sparsmith::recommendation_page_parts

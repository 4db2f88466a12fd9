// What pages are made of: text that cannot become markup, tables, figures with a chart and its numbers, and
// the frame around them. Functions return HTML and take HTML; `escaped` is what makes text of others into it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsmith::html {

std::string escaped(std::string_view text);

// The attribute that shows, on demand, all of what a shorter name stands for; none where nothing is missing.
std::string title_of(std::string_view name, std::string_view whole);

using cells = std::vector<std::string>;

// The first cell of a row names it. A table wider than the page scrolls inside itself, with keys too.
std::string table(const std::string& caption, const cells& header, const std::vector<cells>& rows);

// A place for the chart of this kind, drawn by the page's script from the data of this matrix.
std::string canvas(std::size_t matrix, const char* kind, const std::string& label, std::size_t height = 18);

enum class numbers_are { folded, open };

std::string figure(const std::string& title, const std::string& text, const std::string& plots,
                   const std::string& numbers, numbers_are shown = numbers_are::folded);

// Who wrote a page, on what and when, for its end; what is empty is left out.
struct page_origin {
  std::string version, device, date;
};

// One page that needs nothing beside itself. Styles and scripts are texts of our own, in this order behind
// those that all pages share; `data` has one element a matrix, or what the page's own script takes.
struct page_parts {
  std::string tool, title, heading, body;
  page_origin origin;
  std::vector<std::string_view> styles, scripts;
  nlohmann::ordered_json data;
};
std::string whole_page(const page_parts& page);

}  // namespace sparsmith::html

#include "analyze/report/html.hpp"

#include <fmt/format.h>

#include "analyze/report/embedded.hpp"

namespace sparsmith::html {
namespace {

// JSON has `<` inside strings only, where an escape means the same; so nothing in it ends a script or opens
// a comment. Other characters than ASCII are escaped as well.
std::string inside_script(const nlohmann::ordered_json& data) {
  const std::string text = data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string followed(std::string_view shared, const std::vector<std::string_view>& own) {
  std::string text(shared);
  for (const std::string_view one : own) text += one;
  return text;
}

std::string footer(const std::string& tool, const page_origin& origin) {
  std::string text = fmt::format("Written by {} of Sparsmith", tool);
  if (!origin.version.empty()) text += " " + escaped(origin.version);
  if (!origin.date.empty())
    text += fmt::format(" on <time datetime=\"{0}\">{0}</time>", escaped(origin.date));
  text += ".";
  if (!origin.device.empty()) text += " Device: " + escaped(origin.device) + ".";
  return "<footer><p>" + text + " Charts by Chart.js (MIT).</p></footer>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string title_of(std::string_view name, std::string_view whole) {
  return name == whole ? "" : " title=\"" + escaped(whole) + "\"";
}

std::string table(const std::string& caption, const cells& header, const std::vector<cells>& rows) {
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\"><table><caption>{0}</caption>",
      caption);
  if (!header.empty()) {
    html += "<thead><tr>";
    for (const std::string& cell : header) html += "<th scope=\"col\">" + cell + "</th>";
    html += "</tr></thead>";
  }
  html += "<tbody>\n";
  for (const cells& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td>" + row[i] + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string canvas(std::size_t matrix, const char* kind, const std::string& label, std::size_t height) {
  return fmt::format(
      "<div class=\"plot\" style=\"height:{}rem\"><canvas data-matrix=\"{}\" data-chart=\"{}\" role=\"img\" "
      "aria-label=\"{}; the numbers are in the table below\"></canvas></div>\n",
      height, matrix, kind, label);
}

std::string figure(const std::string& title, const std::string& text, const std::string& plots,
                   const std::string& numbers, numbers_are shown) {
  return fmt::format(
      "<figure class=\"card\"><figcaption><h4>{}</h4><p>{}</p></figcaption>\n{}"
      "<details{}><summary>The numbers</summary>{}</details></figure>\n",
      title, text, plots, shown == numbers_are::open ? " open" : "", numbers);
}

std::string whole_page(const page_parts& page) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // The page promises to load nothing; with this the browser holds it to that.
  html +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += fmt::format("<title>{} – {}</title>\n", page.title, page.tool);
  html += "<style>\n" + followed(embedded_file("page.css"), page.styles) + "</style>\n";
  html += "<noscript><style>.plot,.switch,.more,#theme{display:none}</style></noscript>\n</head>\n<body>\n";
  html += fmt::format(
      "<header><h1>{}</h1><button type=\"button\" id=\"theme\">Dark colours</button></header>\n"
      "<main>\n{}</main>\n",
      page.heading, page.body);
  html += footer(page.tool, page.origin);
  html += "<script type=\"application/json\" id=\"chart-data\">" + inside_script(page.data) + "</script>\n";
  html += "<script>" + std::string(embedded_file("chart.min.js")) + "</script>\n<script>" +
          followed(embedded_file("charts.js"), page.scripts) + "</script>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace sparsmith::html

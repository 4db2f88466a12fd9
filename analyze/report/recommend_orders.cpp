#include "analyze/report/recommend_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/report/json_values.hpp"
#include "analyze/report/recommend_json.hpp"
#include "analyze/report/text.hpp"
#include "convert/reordering.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

const order_result& at(const order_verdict& v, int place) {
  return v.orders[static_cast<std::size_t>(place)];
}

std::string in_order(const order_result& one) {
  return one.order.empty() ? "the matrix as it is" : "order " + one.order;
}

bool leaves_columns(const std::string& order) {
  const std::optional<reordering> how = reordering_named(order);
  return how && !orders_columns(*how);
}

}  // namespace

std::string shown_order(const std::string& order) {
  return order.empty() ? "as it is" : order;
}

double order_products(const order_verdict& v, const order_result& one, const objective& wanted) {
  const way& stay = v.orders.front().winner;
  return stay && one.order_seconds > 0 ? one.order_seconds / seconds_alone(stay, wanted) : 0;
}

std::string orders_in_words(const order_verdict& v, const objective& wanted) {
  if (v.taken < 0) return "nothing ran that could be taken, in no order";
  const order_result& taken = at(v, v.taken);
  std::string text = fmt::format(
      "{}, with {}: {} {} {}",
      taken.order.empty() ? "leave the matrix as it is" : "take order " + taken.order, taken.winner.names(),
      wanted.one_pass ? "an" : "a", wanted.unit(),
      fmt::format("{} {}", v.predicted ? "should take" : "takes", time_text(taken.winner.seconds)));
  if (wanted.products > 0) text += " with its share of the price";
  if (v.beside >= 0) {
    text += fmt::format(", {} x", ratio_text(v.margin.ratio));
    if (v.margin.low > 0 && v.margin.high > v.margin.low)
      text += fmt::format(" ({} - {})", ratio_text(v.margin.low), ratio_text(v.margin.high));
    const order_result& beside = at(v, v.beside);
    text += fmt::format(" as fast as {}, with {}", in_order(beside), beside.winner.names());
  }
  std::vector<std::string> tied;
  for (const order_result& one : v.orders)
    if (one.tied && &one != &taken)
      tied.push_back(fmt::format("{}: {}", shown_order(one.order), time_text(one.winner.seconds)));
  if (!tied.empty()) text += fmt::format("; tied with {}", fmt::join(tied, ", "));
  return text;
}

std::string order_price_in_words(const order_verdict& v, const objective& wanted) {
  if (v.taken <= 0) return "";
  const order_result& taken = at(v, v.taken);
  std::string text = fmt::format("finding the order and applying it take {}", time_text(taken.order_seconds));
  if (!v.orders.front().winner) return text + "; nothing ran as it is, and nothing says what that saves";
  const std::string after = products_text(taken.repaid_after);
  return text +
         fmt::format(", as long as {} {}s as it is; with converting that is repaid {}, beside that",
                     whole_number(order_products(v, taken, wanted)), wanted.unit(),
                     taken.repaid_after > 0 ? fmt::format("after {} {}s", after, wanted.unit()) : after);
}

std::string ordered_vectors_in_words(const order_verdict& v) {
  if (v.taken <= 0) return "";
  return leaves_columns(at(v, v.taken).order)
             ? "rows alone are then in that order, and with them y of A x and x of A^T x: place i has what "
               "row order[i] had"
             : "rows and columns are then both in that order, and with them x and y: place i has what place "
               "order[i] had";
}

std::string orders_as_text(const order_verdict& v, const objective& wanted, int width) {
  width = std::max(width, 40);
  const auto line = [&](const char* label, std::string text) {
    if (text.empty()) return text;
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return labelled_text(label, text + ".", width);
  };
  std::string text = line("orders", (v.unsettled ? "unsettled: " : "") + orders_in_words(v, wanted)) +
                     line("", order_price_in_words(v, wanted)) + line("", ordered_vectors_in_words(v));
  std::vector<table_line> lines = {
      {"  order", "us", "speed", "ordering ms", "in products", "repaid", "format and kernels"}};
  if (wanted.one_pass) lines[0][4] = "in applications";
  const way& stay = v.orders.front().winner;
  for (const order_result& one : v.orders) {
    const bool taken = v.taken >= 0 && &one == &at(v, v.taken), as_it_is = one.order.empty();
    const double products = order_products(v, one, wanted);
    lines.push_back({(taken      ? "* "
                      : one.tied ? "= "
                                 : "  ") +
                         shown_order(one.order),
                     one.winner ? microseconds(one.winner.seconds) : "-",
                     one.winner && stay ? ratio_text(stay.seconds / one.winner.seconds) : "-",
                     as_it_is ? "-" : milliseconds(one.order_seconds),
                     products > 0 ? whole_number(products) : "-",
                     as_it_is || !one.winner || !stay ? "-" : products_text(one.repaid_after),
                     one.winner ? printable(one.winner.names()) : "nothing ran"});
  }
  return text + "\n" +
         wrapped("",
                 "* taken, = tied; speed: as a multiple of the matrix as it is; repaid: ordering and "
                 "converting, beside the matrix as it is",
                 0, width) +
         "\n" + text_table(lines, width);
}

json orders_as_json(const order_verdict& v, const std::vector<recommendation>& told,
                    const std::vector<verdict>& verdicts) {
  const auto name = [](const std::string& order) { return order.empty() ? json(nullptr) : json(order); };
  const auto name_at = [&](int place) { return place < 0 ? json(nullptr) : name(at(v, place).order); };
  const bool compared = v.beside >= 0;
  const auto figure = [](bool known, double value) { return known ? number_or_null(value) : json(nullptr); };
  const objective& wanted = told.front().wanted;
  const way& stay = v.orders.front().winner;
  json comparison = json::array(), documents = json::array();
  for (std::size_t i = 0; i < v.orders.size(); ++i) {
    const order_result& one = v.orders[i];
    const bool ran = static_cast<bool>(one.winner), ordered = !one.order.empty();
    const double products = order_products(v, one, wanted);
    comparison.push_back(
        {{"order", name(one.order)},
         {"order_ms", figure(ordered, one.order_seconds * 1e3)},
         {"order_products", figure(products > 0, products)},
         {"columns_alike", ordered && !leaves_columns(one.order)},
         {"format", ran ? json(name_of(one.winner.variant().format)) : json(nullptr)},
         {"kernels", ran ? json(one.winner.names()) : json(nullptr)},
         {"us", figure(ran, one.winner.seconds * 1e6)},
         {"interval_us",
          ran ? json::array({number_or_null(one.winner.low * 1e6), number_or_null(one.winner.high * 1e6)})
              : json(nullptr)},
         {"speed", ran && stay ? number_or_null(stay.seconds / one.winner.seconds) : json(nullptr)},
         {"price_ms", figure(ran, one.winner.price * 1e3)},
         {"repaid_after", figure(ran && stay && one.repaid_after >= 0, one.repaid_after)},
         {"taken", static_cast<int>(i) == v.taken},
         {"tied", one.tied}});
    documents.push_back(to_json(told[i], verdicts[i]));
  }
  return {{"schema", "sparsmith.orders/1"},
          {"name", told.front().name},
          {"ran", v.taken >= 0},
          {"taken", name_at(v.taken)},
          {"fastest", name_at(v.fastest)},
          {"beside", compared ? json(shown_order(at(v, v.beside).order)) : json(nullptr)},
          {"margin", figure(compared, v.margin.ratio)},
          {"interval", compared ? json::array({number_or_null(v.margin.low), number_or_null(v.margin.high)})
                                : json(nullptr)},
          {"unsettled", v.unsettled},
          {"comparison", std::move(comparison)},
          {"orders", std::move(documents)}};
}

}  // namespace sparsmith

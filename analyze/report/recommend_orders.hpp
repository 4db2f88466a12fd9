// What a matrix takes in several orders of its rows and columns, told beside the recommendations of each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyze/recommend/orders.hpp"

namespace sparsmith {

// "as it is", "rcm".
std::string shown_order(const std::string& order);
// How the order that is taken compares with the matrix as it is, in a sentence without its full stop.
std::string orders_in_words(const order_verdict& v, const objective& wanted);
// What finding and applying the order costs, and when that is repaid; empty where the matrix stays as it is.
std::string order_price_in_words(const order_verdict& v, const objective& wanted);
// What becomes of the vectors; likewise.
std::string ordered_vectors_in_words(const order_verdict& v);
// How long finding and applying it takes, in products of the matrix as it is; 0 where nothing is known.
double order_products(const order_verdict& v, const order_result& one, const objective& wanted);

// Behind the recommendations of all orders of a matrix: which to take, and a line for each.
std::string orders_as_text(const order_verdict& v, const objective& wanted, int width = 80);
// With the documents of all orders in it.
nlohmann::ordered_json orders_as_json(const order_verdict& v, const std::vector<recommendation>& told,
                                      const std::vector<verdict>& verdicts);

}  // namespace sparsmith

// The lines of C++ that a recommendation ends with, as they are: they must compile with the header they name
// alone, as users have it. recommend_report_test.cpp sees to it that they are what is printed.
#include <sparsmith/sparsmith.hpp>

void run_winner(std::span<double> x, std::span<double> y);

// In the body of a function their own include brings nothing any more.
void run_winner(std::span<double> x, std::span<double> y) {
#include "tests/analyze/recommend/winner_code.inc"
}

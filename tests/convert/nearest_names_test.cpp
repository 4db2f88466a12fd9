#include "convert/nearest_names.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;

TEST_CASE("a misspelt name is answered with the one that was probably meant") {
  const std::vector<std::string> all = {"uniform", "ideal", "laplace2d", "laplace3d", "csr", "csc"};
  CHECK(did_you_mean("unifrom", all) == ", did you mean uniform?");
  CHECK(did_you_mean("UNIFORM", all) == ", did you mean uniform?");
  CHECK(did_you_mean("laplace2", all) == ", did you mean laplace2d?");
  CHECK(did_you_mean("laplace", all) == ", did you mean laplace2d or laplace3d?");
  CHECK(did_you_mean("--drop", {"--group", "--drop-zeros"}) == ", did you mean --drop-zeros?");
  CHECK(did_you_mean("--output", {"--out", "--budget"}) == ", did you mean --out?");
  CHECK(did_you_mean("bcsr", {"coo", "csr", "bsr"}) == ", did you mean csr or bsr?");
  CHECK(did_you_mean("crs", all) == ", did you mean csr?");  // two letters exchanged are one mistake
  CHECK(did_you_mean("powerlaw", all).empty());
  CHECK(did_you_mean("", all).empty());
  CHECK(did_you_mean("m", {"n"}).empty());  // nothing of it is left
  CHECK(did_you_mean("csr", {}).empty());
}

TEST_CASE("the nearest names are those that contain it, then those fewest mistakes away") {
  const std::vector<std::string> all = {"csr_vector", "csr_scalar", "csc", "ell"};
  CHECK(nearest_names("csr", all, 3) == std::vector<std::string>{"csr_scalar", "csr_vector", "csc"});
}

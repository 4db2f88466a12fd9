// The entry point of every test program.
#define CATCH_CONFIG_RUNNER  // has version 2 of Catch2 bring its implementation along; version 3 is a library
#include "tests/catch.hpp"

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

// What a tool writes beside its standard output, and what it says of inputs it could not take.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparsmith {

// A file that is whole or not there.
void write_whole_file(const std::string& path, std::string_view content);

// Refuses files that cannot be written before the work, and not after it: pairs of an option and a path, none
// where the path is empty. No two may be the same file, nor one an input.
void check_output_files(const std::vector<std::string>& inputs,
                        const std::vector<std::pair<std::string, std::string>>& outputs,
                        const std::string& called = "the input");

// A generator or a plain file; not standard input or a pipe.
bool can_be_read_again(const std::string& input);

// What is wrong with one of several inputs, which is named: the others are gone on with.
std::string problem_with(const std::string& input, const std::exception& problem);

std::string utc_now();  // "2026-01-31T12:00:00Z"

}  // namespace sparsmith

// Which of the variables of a MAT-file is the matrix that is meant: one rule for all versions of the format.
// That named; else SuiteSparse's Problem.A; else the only sparse one; else the only full one that is neither
// a single number nor empty.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparsmith {

enum class matlab_kind { sparse, full, other };
struct matlab_variable {
  std::string name;  // of a field of a struct with the struct's: "Problem.A"
  matlab_kind kind = matlab_kind::other;
  std::string words;  // what it is to MATLAB: "sparse", "double", "char"
  std::vector<std::int64_t> sizes = {};
};

// For messages: names of MATLAB are of letters, digits and underscores, what is in a file may be anything.
std::string printable_name(std::string name);

class matlab_choice {
 public:
  explicit matlab_choice(std::string wanted) : wanted_(std::move(wanted)) {}

  // Takes the variables one after the other, and says of each what it is by what is known then. What was
  // meant before is so no longer, unless a variable is passed over.
  enum class answer { passed_over, meant, one_of_several };
  answer offer(const matlab_variable& variable);

  // Whether no variable that follows can change what is meant.
  bool is_certain() const { return best_ == rank::chosen; }
  // Whether it had to be chosen, and was not named.
  bool was_a_choice() const { return wanted_.empty() && (is_certain() || offered_ > 1); }
  // Refuses with what there is, unless one is meant.
  void require_one(const std::string& path) const;

 private:
  // The first few of several, for people.
  class listing {
   public:
    void add(const std::string& one);
    void add(const listing& others);
    std::string text() const;
    std::int64_t count() const { return count_; }

   private:
    std::vector<std::string> first_;
    std::int64_t count_ = 0;
  };
  // How much a variable is worth; the least is the best.
  enum class rank { chosen, sparse, full, by_name_only };
  rank rank_of(const matlab_variable& variable) const;

  std::string wanted_;
  rank best_ = rank::by_name_only;
  listing candidates_;  // of that rank
  listing matrices_, others_;
  std::int64_t offered_ = 0;
};

}  // namespace sparsmith

// One function a generator; generators.cpp lists them with their parameters.
#pragma once

#include "convert/io/generator_arguments.hpp"

namespace sparsmith {

coo<double, host> make_uniform(const generator_arguments& asked);
coo<double, host> make_ideal(const generator_arguments& asked);
coo<double, host> make_blockband(const generator_arguments& asked);
coo<double, host> make_laplace2d(const generator_arguments& asked);
coo<double, host> make_laplace3d(const generator_arguments& asked);
coo<double, host> make_rmat(const generator_arguments& asked);
coo<double, host> make_diagonal(const generator_arguments& asked);
coo<double, host> make_powerlaw(const generator_arguments& asked);
coo<double, host> make_denserow(const generator_arguments& asked);
coo<double, host> make_lopsided(const generator_arguments& asked);

}  // namespace sparsmith

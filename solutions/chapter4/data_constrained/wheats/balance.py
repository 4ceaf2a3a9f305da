"""The optimum from a balance: 1 % more parameters gain what 1 % fewer tokens cost; bisection over log N."""

from math import exp, log, sqrt


def _worth(times, r_star):
    """What something is worth that is there so many times, and by how many percent that grows per percent."""
    if times <= 1:
        return times, 1.0
    left = exp((1 - times) / r_star)
    total = 1 + r_star * (1 - left)
    return total, times * left / total


def _check(*numbers):
    if any(not number > 0 for number in numbers):
        raise ValueError("every size and constant has to be positive")


def effective_tokens(unique, epochs, r_star):
    _check(unique, epochs, r_star)
    return unique * _worth(epochs, r_star)[0]


def _optimal_params(tokens, theta):
    _, a, b, alpha, beta, *_ = theta
    return exp((log(alpha * a) - log(beta * b) + beta * log(tokens)) / alpha)


def loss(params, tokens, unique, theta):
    e, a, b, alpha, beta, r_d, r_n = theta
    _check(params, tokens, unique, a, b, alpha, beta, r_d, r_n)
    u_d = tokens if tokens < unique else unique
    u_n = _optimal_params(u_d, theta)
    n = u_n * _worth(params / u_n, r_n)[0]
    d = u_d * _worth(tokens / u_d, r_d)[0]
    return e + a * n**-alpha + b * d**-beta


def best_allocation(flops, unique, theta):
    _, a, b, alpha, beta, r_d, r_n = theta
    _check(flops, unique, a, b, alpha, beta, r_d, r_n)
    params = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (flops / 6) ** (beta / (alpha + beta))
    if flops / (6 * params) > unique:
        u_n = _optimal_params(unique, theta)
        low, high = u_n, flops / (6 * unique)
        for _ in range(100):
            params = sqrt(low * high)
            n, gain = _worth(params / u_n, r_n)
            d, cost = _worth(flops / (6 * params) / unique, r_d)
            if gain * n**-alpha > cost * d**-beta:
                low = params
            else:
                high = params
    tokens = flops / (6 * params)
    return [params, tokens / unique, loss(params, tokens, unique, theta)]

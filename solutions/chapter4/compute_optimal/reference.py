"""Reference: the closed form. At the optimum αA/N^α = βB/D^β; with D = C/(6N) that is one equation for N."""


def optimal_allocation(flops: float, theta: tuple[float, float, float, float, float]) -> tuple[float, float, float]:
    """N = G (C/6)^(β/(α+β)) with G = (αA/(βB))^(1/(α+β)); D is what the budget leaves."""
    least, a, b, alpha, beta = theta
    if min(flops, a, b, alpha, beta) <= 0:
        raise ValueError("the budget, A, B, alpha and beta must be positive")
    product = flops / 6  # N times D
    ratio = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    params = ratio * product ** (beta / (alpha + beta))
    tokens = product / params
    return params, tokens, least + a / params**alpha + b / tokens**beta

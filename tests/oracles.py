"""Reference computations in plain numpy float64, written from the equations alone.

Matrices are those of the papers, samples in columns: G, F, Y (N, B), Z, S (K, B).
Nothing here imports scaletx.
"""

import math
from typing import NamedTuple

import numpy as np


class Oracle(NamedTuple):
    """A DenseAM as plain numbers."""

    s1: float
    s2: float
    activation: str
    centered: bool


def centering(K):
    """C = I - 11^T/K."""
    return np.eye(K) - np.ones((K, K)) / K


def phi(name, Z):
    """Post-activations of one sample in each column."""
    if name == "linear":
        return Z
    if name == "softmax":
        E = np.exp(Z - Z.max(axis=0))
        return E / E.sum(axis=0)
    p = int(name.partition(":")[2])
    return np.where(Z > 0, Z, 0) ** p / double_factorial_norm(p)


def double_factorial_norm(p):
    """m_p = sqrt((2p-1)!!/2)."""
    product = 1
    for odd in range(2 * p - 1, 0, -2):
        product *= odd
    return math.sqrt(product / 2)


def jacobian_product(name, Z, V):
    """phi'(Z) applied to V, sample by sample."""
    if name == "linear":
        return V
    if name == "softmax":
        out = np.empty_like(V)
        for mu in range(Z.shape[1]):
            sigma = phi(name, Z[:, [mu]])[:, 0]
            out[:, mu] = (np.diag(sigma) - np.outer(sigma, sigma)) @ V[:, mu]
        return out
    p = int(name.partition(":")[2])
    slope = p * np.where(Z > 0, Z, 0) ** (p - 1) * (Z > 0)
    return slope / double_factorial_norm(p) * V


def features(o, X):
    """g(X): tanh, or the identity for the linear model."""
    return X if o.activation == "linear" else np.tanh(X)


def hidden(o, theta, G):
    """Z, S (with the outer C in S), W~."""
    W, b, _ = theta
    C = centering(len(W)) if o.centered else np.eye(len(W))
    Z = o.s1 * C @ W @ G + (C @ b)[:, None]
    return Z, C @ phi(o.activation, Z), C @ W


def forward(o, theta, G):
    """F = s2 W~^T phi(s1 W~ G + b~ 1^T) + c 1^T."""
    W, _, c = theta
    C = centering(len(W)) if o.centered else np.eye(len(W))
    Z, _, _ = hidden(o, theta, G)
    return o.s2 * (C @ W).T @ phi(o.activation, Z) + c[:, None]


def gradients(o, theta, G, Y):
    """The closed forms of L = ||F - Y||^2 / (2B), projected by C if centered."""
    W = theta[0]
    B = G.shape[1]
    C = centering(len(W)) if o.centered else np.eye(len(W))
    Z, _, Wc = hidden(o, theta, G)
    R = forward(o, theta, G) - Y
    S = phi(o.activation, Z)
    back = jacobian_product(o.activation, Z, Wc @ R)
    grad_W = o.s2 / B * S @ R.T + o.s1 * o.s2 / B * back @ G.T
    grad_b = o.s2 / B * back @ np.ones(B)
    grad_c = R @ np.ones(B) / B
    return C @ grad_W, C @ grad_b, grad_c


def gradient_parts(o, theta, G, Y):
    """grad1, from W as the read-out, and grad2, from W as the input."""
    B, K = G.shape[1], len(theta[0])
    C = centering(K) if o.centered else np.eye(K)
    Z, _, Wc = hidden(o, theta, G)
    R = forward(o, theta, G) - Y
    back = jacobian_product(o.activation, Z, Wc @ R)
    return (
        o.s2 / B * C @ phi(o.activation, Z) @ R.T,
        o.s1 * o.s2 / B * C @ back @ G.T,
    )


def update_terms(o, theta, change, G):
    """The terms of equations B.6 and B.9 for a change of W, b, c."""
    U, db, dc = change
    K = len(U)
    C = centering(K) if o.centered else np.eye(K)
    U, db = C @ U, C @ db
    Z, _, Wc = hidden(o, theta, G)
    dZ, dZb = o.s1 * U @ G, np.outer(db, np.ones(G.shape[1]))
    return {
        "dW": U,
        "dZ": dZ,
        "dF1": o.s2 * U.T @ phi(o.activation, Z),
        "dF2": o.s2 * Wc.T @ jacobian_product(o.activation, Z, dZ),
        "dZb": dZb,
        "dFb": o.s2 * Wc.T @ jacobian_product(o.activation, Z, dZb),
        "dFc": np.outer(dc, np.ones(G.shape[1])),
    }


def sgd(rates):
    """A step function theta, grads -> theta with one rate for each of W, b, c."""

    def step(theta, grads, factor=1.0):
        return tuple(
            t - factor * r * g for t, r, g in zip(theta, rates, grads, strict=True)
        )

    return step


def adam(rates, eps, b1=0.9, b2=0.999):
    """The same for Adam with bias correction and eps outside the root."""
    state = {"t": 0, "m": [0.0] * 3, "v": [0.0] * 3}

    def step(theta, grads, factor=1.0):
        state["t"] += 1
        t = state["t"]
        out = []
        for i, (x, g) in enumerate(zip(theta, grads, strict=True)):
            state["m"][i] = b1 * state["m"][i] + (1 - b1) * g
            state["v"][i] = b2 * state["v"][i] + (1 - b2) * g**2
            m_hat = state["m"][i] / (1 - b1**t)
            v_hat = state["v"][i] / (1 - b2**t)
            out.append(x - factor * rates[i] * m_hat / (np.sqrt(v_hat) + eps[i]))
        return tuple(out)

    return step


def mse(o, theta, G, Y):
    """||F - Y||^2 / (N P)."""
    return float(np.mean((forward(o, theta, G) - Y) ** 2))


def train(o, theta, step, G, Y, order, *, factors=None, biases=True):
    """Run steps over batches; give theta and the batch loss before each step."""
    losses = []
    for t, batch in enumerate(order):
        g, y = G[:, batch], Y[:, batch]
        losses.append(mse(o, theta, g, y))
        grads = gradients(o, theta, g, y)
        if not biases:
            grads = (grads[0], 0 * grads[1], 0 * grads[2])
        theta = step(theta, grads, 1.0 if factors is None else factors[t])
    return theta, np.array(losses)


def slope(sizes, values):
    """Least-squares slope of log values on log sizes."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])

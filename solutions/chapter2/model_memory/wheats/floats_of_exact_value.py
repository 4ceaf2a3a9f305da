"""Everything as floats, which are exact below 2**53; the layer is counted once and scaled."""


def count_parameters(config):
    groups = config["heads"] / config["kv_heads"]
    if not groups.is_integer():
        raise ValueError("groups of unequal size")
    d, f = float(config["hidden"]), float(config["ffn"])
    wide = config["heads"] * config["head_dim"]
    with_bias = config["bias"]
    narrow = wide / groups
    layer = {"attention": 2 * d * (wide + narrow), "mlp": d * f * (3 if config["gated"] else 2)}
    if with_bias != "none":
        layer["attention"] += wide + 2 * narrow
    if with_bias == "all":
        layer["attention"] += d
        layer["mlp"] += d + f + f * config["gated"]
    norm = d if config["norm"] == "rmsnorm" else d + d
    table = config["vocab"] * d
    result = {part: config["layers"] * each for part, each in layer.items()}
    result["norms"] = norm + config["layers"] * (norm + norm)
    result["embedding"] = table + config["positions"] * d
    result["head"] = 0.0 if config["tied"] else table
    result["total"] = sum(result.values())
    return result


def state_bytes(params, recipe):
    moments = {"bf16_adam": 4.0, "mixed_adam_8bit": 2.0}.get(recipe, 8.0)
    if recipe not in {"mixed_adam", "mixed_adam_fp32_gradients", "fp32_adam", "bf16_adam", "mixed_adam_8bit"}:
        raise ValueError(recipe)
    mixed = recipe.startswith("mixed")
    weights = 4.0 if recipe == "fp32_adam" else 2.0
    gradients = 4.0 if "fp32" in recipe else 2.0
    optimizer = params * (moments + 4.0 * mixed)
    if moments == 2.0:
        optimizer += 2 * 4.0 * ((params + 2047) // 2048)
    parts = {"parameters": weights * params, "gradients": gradients * params, "optimizer": optimizer}
    return {**parts, "total": sum(parts.values())}


def kv_cache_bytes(config, batch, length, bytes_per_value=2):
    if (config["heads"] / config["kv_heads"]) % 1:
        raise ValueError("groups of unequal size")
    per_layer = 2.0 * batch * length * config["kv_heads"] * config["head_dim"]
    return sum(per_layer * bytes_per_value for _ in range(config["layers"]))

/** Members that several shapes have in common. */
import * as z from "zod/mini";

const modelNameMax = 200;
const tokensMax = 10_000_000;

export const modelName = z.string().check(z.minLength(1), z.maxLength(modelNameMax));
export const tokenLimit = z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(tokensMax))));

import type { TestGateway } from "../harness/test-gateway.ts";

/** The keys of three users: ann's is for the model "m" alone, bob's for every model, and poor can pay for nothing. */
export async function createBatchUsers({ given }: TestGateway): Promise<{ ann: string; bob: string; poor: string }> {
  const [ann, bob, poor] = await Promise.all([
    given.user("ann", { quota: 100_000_000 }),
    given.user("bob", { quota: 100_000_000 }),
    given.user("poor", { quota: 100 }),
  ]);
  return {
    ann: (await ann.token({ models: "m" })).key,
    bob: (await bob.token()).key,
    poor: (await poor.token()).key,
  };
}

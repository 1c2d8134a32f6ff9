import { useMutation } from "@tanstack/react-query";
import type { BodyIn, Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { ApiCallOptions, ApiInput, EndpointReply } from "../../api-call.ts";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "./idempotency-key.ts";

/** Sends a body with its idempotency key: a retry after a lost reply creates nothing twice. */
export function useCreation<E extends Endpoint>(endpoint: E, refreshes: readonly Endpoint[]) {
  const keyFor = useIdempotencyKey();
  const { mutateAsync } = useMutation({
    mutationFn: (body: unknown) =>
      api.change(endpoint, refreshes, {
        body,
        idempotencyKey: keyFor(body),
      } as unknown as ApiInput<E> & ApiCallOptions),
  });
  return (body: BodyIn<E>): Promise<EndpointReply<E>> => mutateAsync(body);
}

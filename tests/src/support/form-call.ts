// Calls whose body is a form, as the relay reads them.
import type { ClientFormat, RelayCall } from "@tollgate/gateway/relay/formats/api-format.ts";
import { readForm } from "@tollgate/gateway/relay/wire/multipart.ts";

export async function formCall(
  format: ClientFormat,
  fields: Readonly<Record<string, string | Blob>>,
): Promise<RelayCall> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const sent = new Response(body);
  const form = readForm(
    sent.headers.get("content-type") ?? "",
    Buffer.from(await sent.arrayBuffer()),
  );
  const parsed = format.parseForm?.(form, false);
  if (!parsed) throw new Error(`${format.endpoint} takes no form`);
  return {
    ...parsed,
    client: format,
    upstream: format.upstream,
    headers: [],
    body: form.body,
    form,
  };
}

import { Trans } from "@lingui/react/macro";

/** Above every page of a server that refuses changes. */
export function ReadOnlyBar() {
  return (
    <p
      role="status"
      className="border-line border-b bg-warn-soft px-4 py-2 text-center text-[13px] leading-5 print:hidden"
    >
      <Trans>
        This server is read-only at the moment. You cannot change anything; API keys still work.
      </Trans>
    </p>
  );
}

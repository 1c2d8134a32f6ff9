import { Trans } from "@lingui/react/macro";

/** First in the tab order: skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:translate-y-0"
    >
      <Trans>Skip to content</Trans>
    </a>
  );
}

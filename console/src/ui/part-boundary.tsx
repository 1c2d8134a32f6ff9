import { Trans, useLingui } from "@lingui/react/macro";
import { Component, createContext, type ReactNode, use, useState } from "react";
import { Alert } from "./alert.tsx";

/**
 * Loads anew what the parts of the page show. The area that holds the data sets it; without data
 * there is none to load.
 */
export const ReloadData = createContext<() => Promise<void>>(() => Promise.resolve());

type PartBoundaryProps = { children: ReactNode };
type PartBoundaryState = { error: Error | undefined };

/**
 * A part of a page that fails to render shows the error in its own place; the rest of the page
 * stays.
 */
export class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override state: PartBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): PartBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <BrokenPart error={error} onReset={() => this.setState({ error: undefined })} />;
  }
}

function BrokenPart({ error, onReset }: { error: Error; onReset: () => void }) {
  const reload = use(ReloadData);
  const [isBusy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    await reload();
    onReset();
  };
  return (
    <Alert
      title={<Trans>The server sent an unexpected answer</Trans>}
      onRetry={() => void retry()}
      retrying={isBusy}
    >
      <ErrorDetails error={error} />
    </Alert>
  );
}

/**
 * The message of an error in the code: for the person who reports it, not for the one who reads the
 * page.
 */
export function ErrorDetails({ error }: { error: Error }) {
  const { t } = useLingui();
  return (
    <details>
      <summary className="cursor-pointer py-0.5">{t`Details`}</summary>
      <code className="font-mono text-xs">{error.message}</code>
    </details>
  );
}

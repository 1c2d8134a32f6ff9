import { createContext, type ReactNode, use, useEffect } from "react";
import { MayChange } from "./may-change.tsx";
import { PartBoundary } from "./part-boundary.tsx";

type PageProps = { title: string; subtitle?: ReactNode; action?: ReactNode; children: ReactNode };

/**
 * Title, subtitle, and the primary action at the right, for who may act. The title also names the
 * document.
 */
export function Page({ title, subtitle, action, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className="flex flex-col gap-4 max-sm:gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        {/* On a phone, a short action stands beside the title. */}
        <div className="min-w-0 max-md:grow max-md:basis-44">
          <h1 dir="auto" className="font-semibold text-xl">
            {title}
          </h1>
          {subtitle !== undefined && <p className="text-muted">{subtitle}</p>}
        </div>
        {action !== undefined && use(MayChange) && (
          <div className="flex flex-wrap items-center gap-2">{action}</div>
        )}
      </div>
      <PartBoundary>{children}</PartBoundary>
    </div>
  );
}

/** The suffix of the document title: the shell sets the name of the system. */
export const DocumentName = createContext("");

export function useDocumentTitle(title: string) {
  const name = use(DocumentName);
  useEffect(() => {
    document.title = name === "" ? title : `${title} · ${name}`;
  }, [title, name]);
}

import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { Section } from '../../ui/parts.tsx';
import type { Proof } from './use-proof.ts';

export interface EvidenceOfReceipt {
  target: RefObject<HTMLDivElement | null>;
  /** Resolves when the sentences and the certificate are on the page. Undefined: nothing is verified. */
  show: (() => Promise<void>) | undefined;
}

/** The same sentences, picture and certificate as on verify.html. They are loaded when somebody scrolls to them, or prints. */
export function useEvidence(proof: Proof | undefined): EvidenceOfReceipt {
  const target = useRef<HTMLDivElement>(null);
  const show = useMemo(() => {
    if (proof?.kind !== 'checked' || proof.report.failure !== undefined) return undefined;
    const { text, report } = proof;
    let shown: Promise<void> | undefined;
    const load = async () => {
      const { showEvidence } = await import('./show-evidence.ts');
      if (target.current) await showEvidence(target.current, text, report);
    };
    return () => {
      shown ??= load();
      return shown;
    };
  }, [proof]);
  return { target, show };
}

export function Evidence({ target, show }: EvidenceOfReceipt) {
  useEffect(() => {
    if (!show || !target.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void show();
    });
    observer.observe(target.current);
    return () => observer.disconnect();
  }, [show, target]);
  return show ? (
    <Section title="What this proves">
      <div ref={target} className="min-h-8" />
    </Section>
  ) : null;
}

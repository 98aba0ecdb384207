export function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')];
  const sections = links.flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? []);
  if (sections.length === 0) return;
  const mark = () => {
    const current = sections.findLast((section) => section.getBoundingClientRect().top < window.innerHeight / 3) ?? sections[0];
    for (const link of links) {
      if (current && decodeURIComponent(link.hash.slice(1)) === current.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

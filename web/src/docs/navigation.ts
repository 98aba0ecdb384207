export function showCurrentPage(): void {
  const list = document.getElementById('pages');
  const link = list?.querySelector<HTMLElement>('[aria-current]');
  if (!list || !link) return;
  list.scrollTop = link.offsetTop - list.clientHeight / 2;
}

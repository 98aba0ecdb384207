import icon from '../icon.svg';

export function Brand() {
  return (
    <a href="/" className="inline-flex items-center gap-2 rounded font-semibold">
      <img src={icon} alt="" className="size-6" />
      Waybill
    </a>
  );
}

import { applyTheme } from '../ui/theme.ts';
import { markCurrentSection } from './contents.ts';
import { addCopyButtons } from './copy.ts';
import { element } from './element.ts';
import { showCurrentPage } from './navigation.ts';
import { addSearch } from './search-button.ts';
import { makeTabs } from './tabs.ts';
import { addThemeButton } from './theme-button.ts';
import { enableTrying } from './try-it.ts';

applyTheme();
const tools = document.querySelector('.top .tools') ?? element('span');
addSearch(tools);
addThemeButton(tools);
makeTabs();
addCopyButtons();
markCurrentSection();
showCurrentPage();
enableTrying();

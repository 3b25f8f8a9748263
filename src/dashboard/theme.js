// Runs before anything is painted: a script of its own, because the Content-Security-Policy allows none in the page.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser keeps nothing: its own setting counts.
}

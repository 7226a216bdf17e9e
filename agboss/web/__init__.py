"""Answers over HTTP: ``agboss web``, or ``agboss.web.app.create_web`` in a server of your own. See docs/http.md."""

//! The service binary: reads the command line and runs what it asks for.

use std::io::Write;
use std::process::ExitCode;

use booking_service::config::{Command, Given};
use booking_service::serve::Problem;
use booking_service::webhooks::queue;
use booking_service::{admin, backup, check, serve, vacuum};
use mimalloc::MiMalloc;

/// Gives memory back to the system after a burst of large requests, which the system's own
/// allocator keeps.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let given = Given::read();
    if let Command::Serve(options) = &given.cli.command
        && options.print_config
    {
        print!("{}", given.print());
        return ExitCode::SUCCESS;
    }
    serve::log(given.cli.log_format);
    let done = match given.cli.command {
        Command::Serve(options) => serve::serve(*options).await,
        Command::Migrate(options) => serve::migrate(options).await,
        Command::Demo(options) => serve::demo(options).await,
        Command::Permissions(options) => show(Ok(admin::permissions(&options))),
        Command::Webhooks(options) => show(queue::webhooks(options).await),
        Command::User(command) => show(admin::user(command).await),
        Command::Key(command) => show(admin::key(command).await),
        Command::Client(command) => show(admin::client(command).await),
        Command::Token(command) => show(admin::token(command).await),
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Vacuum(options) => vacuum::run(options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("service: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what a command gives. A reader that has gone away, as `head` does, is no problem.
fn show(given: Result<String, Problem>) -> Result<(), Problem> {
    let text = given?;
    let mut stdout = std::io::stdout();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    Ok(())
}
